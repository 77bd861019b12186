declare i64 @llvm.umin.i64(i64, i64)
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)
declare double @llvm.minimum.f64(double, double)
declare double @llvm.maximum.f64(double, double)
declare double @llvm.floor.f64(double)
declare double @llvm.rint.f64(double)
declare double @llvm.copysign.f64(double, double)
declare <4 x double> @llvm.fma.v4f64(<4 x double>, <4 x double>, <4 x double>)
declare <4 x double> @llvm.sqrt.v4f64(<4 x double>)
declare <4 x double> @llvm.fabs.v4f64(<4 x double>)
declare <4 x double> @llvm.minimum.v4f64(<4 x double>, <4 x double>)
declare <4 x double> @llvm.maximum.v4f64(<4 x double>, <4 x double>)
declare <4 x double> @llvm.floor.v4f64(<4 x double>)
declare <4 x double> @llvm.rint.v4f64(<4 x double>)
declare <4 x double> @llvm.copysign.v4f64(<4 x double>, <4 x double>)
define internal void @sample(ptr noalias %a0, ptr noalias %a1, ptr noalias %a2) {
  %t1 = load double, ptr %a0, align 8
  %t2 = getelementptr double, ptr %a0, i64 1
  %t3 = load double, ptr %t2, align 8
  %t4 = getelementptr double, ptr %a0, i64 2
  %t5 = load double, ptr %t4, align 8
  %t6 = call double @llvm.fma.f64(double %t1, double %t3, double 0xBFE0000000000000)
  %t7 = call double @llvm.fma.f64(double %t5, double %t5, double %t6)
  %t8 = call double @llvm.fma.f64(double %t3, double %t3, double 0x3FF0000000000000)
  %t9 = fdiv double %t1, %t8
  store double %t7, ptr %a1, align 8
  store double %t9, ptr %a2, align 8
  ret void
}

define internal void @samples(ptr noalias %a0, i64 %s0, ptr noalias %a1, i64 %s1, ptr noalias %a2, i64 %s2, i64 %count) {
  %t1 = sub i64 %count, 1
  %t2 = call i64 @llvm.umin.i64(i64 1, i64 %t1)
  %t3 = call i64 @llvm.umin.i64(i64 2, i64 %t1)
  %t4 = call i64 @llvm.umin.i64(i64 3, i64 %t1)
  %t5 = mul i64 %t2, %s0
  %t6 = mul i64 %t3, %s0
  %t7 = mul i64 %t4, %s0
  %t8 = getelementptr i8, ptr %a0, i64 %t5
  %t9 = getelementptr i8, ptr %a0, i64 %t6
  %t10 = getelementptr i8, ptr %a0, i64 %t7
  %t11 = mul i64 %t2, %s1
  %t12 = mul i64 %t3, %s1
  %t13 = mul i64 %t4, %s1
  %t14 = getelementptr i8, ptr %a1, i64 %t11
  %t15 = getelementptr i8, ptr %a1, i64 %t12
  %t16 = getelementptr i8, ptr %a1, i64 %t13
  %t17 = mul i64 %t2, %s2
  %t18 = mul i64 %t3, %s2
  %t19 = mul i64 %t4, %s2
  %t20 = getelementptr i8, ptr %a2, i64 %t17
  %t21 = getelementptr i8, ptr %a2, i64 %t18
  %t22 = getelementptr i8, ptr %a2, i64 %t19
  %t23 = getelementptr double, ptr %a0, i64 1
  %t24 = load <2 x double>, ptr %t23, align 8
  %t25 = getelementptr double, ptr %t8, i64 1
  %t26 = load <2 x double>, ptr %t25, align 8
  %t27 = getelementptr double, ptr %t9, i64 1
  %t28 = load <2 x double>, ptr %t27, align 8
  %t29 = getelementptr double, ptr %t10, i64 1
  %t30 = load <2 x double>, ptr %t29, align 8
  %t31 = shufflevector <2 x double> %t24, <2 x double> %t28, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %t32 = shufflevector <2 x double> %t26, <2 x double> %t30, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %t33 = shufflevector <4 x double> %t31, <4 x double> %t32, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t34 = shufflevector <4 x double> %t31, <4 x double> %t32, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t35 = getelementptr double, ptr %a0, i64 0
  %t36 = load <2 x double>, ptr %t35, align 8
  %t37 = getelementptr double, ptr %t8, i64 0
  %t38 = load <2 x double>, ptr %t37, align 8
  %t39 = getelementptr double, ptr %t9, i64 0
  %t40 = load <2 x double>, ptr %t39, align 8
  %t41 = getelementptr double, ptr %t10, i64 0
  %t42 = load <2 x double>, ptr %t41, align 8
  %t43 = shufflevector <2 x double> %t36, <2 x double> %t40, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %t44 = shufflevector <2 x double> %t38, <2 x double> %t42, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %t45 = shufflevector <4 x double> %t43, <4 x double> %t44, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t46 = shufflevector <4 x double> %t43, <4 x double> %t44, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t47 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t45, <4 x double> %t33, <4 x double> splat (double 0xBFE0000000000000))
  %t48 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t34, <4 x double> %t34, <4 x double> %t47)
  %t49 = extractelement <4 x double> %t48, i32 0
  %t50 = extractelement <4 x double> %t48, i32 1
  %t51 = extractelement <4 x double> %t48, i32 2
  %t52 = extractelement <4 x double> %t48, i32 3
  %t53 = getelementptr double, ptr %a1, i64 0
  store double %t49, ptr %t53, align 8
  %t54 = getelementptr double, ptr %t14, i64 0
  store double %t50, ptr %t54, align 8
  %t55 = getelementptr double, ptr %t15, i64 0
  store double %t51, ptr %t55, align 8
  %t56 = getelementptr double, ptr %t16, i64 0
  store double %t52, ptr %t56, align 8
  %t57 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t33, <4 x double> %t33, <4 x double> splat (double 0x3FF0000000000000))
  %t58 = fdiv <4 x double> %t45, %t57
  %t59 = extractelement <4 x double> %t58, i32 0
  %t60 = extractelement <4 x double> %t58, i32 1
  %t61 = extractelement <4 x double> %t58, i32 2
  %t62 = extractelement <4 x double> %t58, i32 3
  %t63 = getelementptr double, ptr %a2, i64 0
  store double %t59, ptr %t63, align 8
  %t64 = getelementptr double, ptr %t20, i64 0
  store double %t60, ptr %t64, align 8
  %t65 = getelementptr double, ptr %t21, i64 0
  store double %t61, ptr %t65, align 8
  %t66 = getelementptr double, ptr %t22, i64 0
  store double %t62, ptr %t66, align 8
  ret void
}

define internal void @all_samples(ptr %args, ptr %dimensions, ptr %steps, ptr %data) {
entry:
  %b0 = alloca i8, i64 24, align 64
  %b1 = alloca i8, i64 8, align 64
  %b2 = alloca i8, i64 8, align 64
  %samples = load i64, ptr %dimensions, align 8
  %pp0 = getelementptr ptr, ptr %args, i64 0
  %p0 = load ptr, ptr %pp0, align 8
  %sp0 = getelementptr i64, ptr %steps, i64 0
  %s0 = load i64, ptr %sp0, align 8
  %core0 = getelementptr i64, ptr %steps, i64 3
  %cp0_0 = getelementptr i64, ptr %core0, i64 0
  %c0_0 = load i64, ptr %cp0_0, align 8
  %e0_0 = icmp eq i64 %c0_0, 8
  %plain0_0 = and i1 true, %e0_0
  %pp1 = getelementptr ptr, ptr %args, i64 1
  %p1 = load ptr, ptr %pp1, align 8
  %sp1 = getelementptr i64, ptr %steps, i64 1
  %s1 = load i64, ptr %sp1, align 8
  %core1 = getelementptr i64, ptr %steps, i64 4
  %pp2 = getelementptr ptr, ptr %args, i64 2
  %p2 = load ptr, ptr %pp2, align 8
  %sp2 = getelementptr i64, ptr %steps, i64 2
  %s2 = load i64, ptr %sp2, align 8
  %core2 = getelementptr i64, ptr %steps, i64 4
  %plain = and i1 %plain0_0, true
  br i1 %plain, label %contiguous, label %strided_check
contiguous:
  %one = icmp eq i64 %samples, 1
  br i1 %one, label %single, label %many_check
single:
  call void @sample(ptr %p0, ptr %p1, ptr %p2)
  ret void
many_check:
  %any = icmp sgt i64 %samples, 0
  br i1 %any, label %many, label %end
many:
  %done = phi i64 [0, %many_check], [%next, %went]
  %left = sub i64 %samples, %done
  %o0 = mul i64 %done, %s0
  %q0 = getelementptr i8, ptr %p0, i64 %o0
  %o1 = mul i64 %done, %s1
  %q1 = getelementptr i8, ptr %p1, i64 %o1
  %o2 = mul i64 %done, %s2
  %q2 = getelementptr i8, ptr %p2, i64 %o2
  call void @samples(ptr %q0, i64 %s0, ptr %q1, i64 %s1, ptr %q2, i64 %s2, i64 %left)
  br label %went
went:
  %next = add i64 %done, 4
  %more = icmp slt i64 %next, %samples
  br i1 %more, label %many, label %written
written:
  br label %end
strided_check:
  %any_strided = icmp sgt i64 %samples, 0
  br i1 %any_strided, label %strided, label %end
strided:
  %sample = phi i64 [0, %strided_check], [%sample_next, %strided]
  %so0 = mul i64 %sample, %s0
  %sq0 = getelementptr i8, ptr %p0, i64 %so0
  %so1 = mul i64 %sample, %s1
  %sq1 = getelementptr i8, ptr %p1, i64 %so1
  %so2 = mul i64 %sample, %s2
  %sq2 = getelementptr i8, ptr %p2, i64 %so2
  call void @copy0(ptr %b0, ptr %sq0, ptr %core0)
  call void @sample(ptr %b0, ptr %b1, ptr %b2)
  call void @copy1(ptr %b1, ptr %sq1, ptr %core1)
  call void @copy2(ptr %b2, ptr %sq2, ptr %core2)
  %sample_next = add i64 %sample, 1
  %sample_more = icmp slt i64 %sample_next, %samples
  br i1 %sample_more, label %strided, label %end
end:
  ret void
}
define internal void @copy0(ptr %buffer, ptr %place, ptr %strides) {
entry:
  br i1 true, label %entries, label %end
entries:
  %i = phi i64 [0, %entry], [%next, %entries]
  %d0 = udiv i64 %i, 1
  %m0 = urem i64 %d0, 3
  %cp0 = getelementptr i64, ptr %strides, i64 0
  %c0 = load i64, ptr %cp0, align 8
  %t0 = mul i64 %m0, %c0
  %u0 = add i64 0, %t0
  %near = getelementptr i64, ptr %buffer, i64 %i
  %far = getelementptr i8, ptr %place, i64 %u0
  %value = load i64, ptr %far, align 8
  store i64 %value, ptr %near, align 8
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 3
  br i1 %more, label %entries, label %end
end:
  ret void
}
define internal void @copy1(ptr %buffer, ptr %place, ptr %strides) {
entry:
  br i1 true, label %entries, label %end
entries:
  %i = phi i64 [0, %entry], [%next, %entries]

  %near = getelementptr i64, ptr %buffer, i64 %i
  %far = getelementptr i8, ptr %place, i64 0
  %value = load i64, ptr %near, align 8
  store i64 %value, ptr %far, align 8
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 1
  br i1 %more, label %entries, label %end
end:
  ret void
}
define internal void @copy2(ptr %buffer, ptr %place, ptr %strides) {
entry:
  br i1 true, label %entries, label %end
entries:
  %i = phi i64 [0, %entry], [%next, %entries]

  %near = getelementptr i64, ptr %buffer, i64 %i
  %far = getelementptr i8, ptr %place, i64 0
  %value = load i64, ptr %near, align 8
  store i64 %value, ptr %far, align 8
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 1
  br i1 %more, label %entries, label %end
end:
  ret void
}

declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)
define void @loop(ptr %args, ptr %dimensions, ptr %steps, ptr %data) {
  %status = alloca i32, align 4
  call void @llvm.x86.sse.stmxcsr(ptr %status)
  call void @all_samples(ptr %args, ptr %dimensions, ptr %steps, ptr %data)
  call void @llvm.x86.sse.ldmxcsr(ptr %status)
  ret void
}

@shape_3 = internal constant [1 x i64] [i64 3], align 8
define ptr @entry(ptr %self, ptr %args, i64 %nargs) {
start:
  %context = getelementptr i8, ptr %self, i64 32
  %field0 = getelementptr ptr, ptr %context, i64 0
  %array_type = load ptr, ptr %field0, align 8
  %field1 = getelementptr ptr, ptr %context, i64 1
  %descriptor = load ptr, ptr %field1, align 8
  %field2 = getelementptr ptr, ptr %context, i64 2
  %PyArray_New = load ptr, ptr %field2, align 8
  %field3 = getelementptr ptr, ptr %context, i64 3
  %slow_callable = load ptr, ptr %field3, align 8
  %field4 = getelementptr ptr, ptr %context, i64 4
  %PyObject_Vectorcall = load ptr, ptr %field4, align 8
  %field5 = getelementptr ptr, ptr %context, i64 5
  %PyArray_Return = load ptr, ptr %field5, align 8
  %field6 = getelementptr ptr, ptr %context, i64 6
  %PyTuple_New = load ptr, ptr %field6, align 8
  %field7 = getelementptr ptr, ptr %context, i64 7
  %PyTuple_SetItem = load ptr, ptr %field7, align 8
  %enough = icmp eq i64 %nargs, 1
  br i1 %enough, label %check0, label %slow
check0:
  %ap0 = getelementptr ptr, ptr %args, i64 0
  %arg0 = load ptr, ptr %ap0, align 8
  %tp0 = getelementptr i8, ptr %arg0, i64 8
  %type0 = load ptr, ptr %tp0, align 8
  %is_array0 = icmp eq ptr %type0, %array_type
  br i1 %is_array0, label %array0, label %slow
array0:
  %ndp0 = getelementptr i8, ptr %arg0, i64 24
  %nd0 = load i32, ptr %ndp0, align 4
  %same_nd0 = icmp eq i32 %nd0, 1
  %dep0 = getelementptr i8, ptr %arg0, i64 56
  %de0 = load ptr, ptr %dep0, align 8
  %same_de0 = icmp eq ptr %de0, %descriptor
  %flp0 = getelementptr i8, ptr %arg0, i64 64
  %fl0 = load i32, ptr %flp0, align 4
  %fm0 = and i32 %fl0, 257
  %same_fl0 = icmp eq i32 %fm0, 257
  %both0 = and i1 %same_nd0, %same_de0
  %all0 = and i1 %both0, %same_fl0
  br i1 %all0, label %sizes0, label %slow
sizes0:
  %dimp0 = getelementptr i8, ptr %arg0, i64 32
  %dims0 = load ptr, ptr %dimp0, align 8
  %np0_0 = getelementptr i64, ptr %dims0, i64 0
  %n0_0 = load i64, ptr %np0_0, align 8
  %f0_0 = icmp eq i64 %n0_0, 3
  %fits0_1 = and i1 true, %f0_0
  %dp0 = getelementptr i8, ptr %arg0, i64 16
  %d0 = load ptr, ptr %dp0, align 8
  br i1 %fits0_1, label %check1, label %slow
check1:
  %r0 = call ptr %PyArray_New(ptr %array_type, i32 0, ptr null, i32 12, ptr null, ptr null, i32 0, i32 0, ptr null)
  %bad0 = icmp eq ptr %r0, null
  br i1 %bad0, label %failed, label %made0
made0:
  %rp0 = getelementptr i8, ptr %r0, i64 16
  %rd0 = load ptr, ptr %rp0, align 8
  br label %make1
make1:
  %r1 = call ptr %PyArray_New(ptr %array_type, i32 0, ptr null, i32 12, ptr null, ptr null, i32 0, i32 0, ptr null)
  %bad1 = icmp eq ptr %r1, null
  br i1 %bad1, label %failed, label %made1
made1:
  %rp1 = getelementptr i8, ptr %r1, i64 16
  %rd1 = load ptr, ptr %rp1, align 8
  br label %make2
make2:
  call void @sample(ptr %d0, ptr %rd0, ptr %rd1)
  %v0 = call ptr %PyArray_Return(ptr %r0)
  %v1 = call ptr %PyArray_Return(ptr %r1)
  %tuple = call ptr %PyTuple_New(i64 2)
  %no_tuple = icmp eq ptr %tuple, null
  br i1 %no_tuple, label %failed, label %fill
fill:
  %set0 = call i32 %PyTuple_SetItem(ptr %tuple, i64 0, ptr %v0)
  %set1 = call i32 %PyTuple_SetItem(ptr %tuple, i64 1, ptr %v1)
  ret ptr %tuple
failed:
  ret ptr null
slow:
  %answer = call ptr %PyObject_Vectorcall(ptr %slow_callable, ptr %args, i64 %nargs, ptr null)
  ret ptr %answer
}
