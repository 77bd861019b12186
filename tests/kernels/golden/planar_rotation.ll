declare i64 @llvm.umin.i64(i64, i64)
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.sqrt.f32(float)
declare float @llvm.fabs.f32(float)
declare float @llvm.minimum.f32(float, float)
declare float @llvm.maximum.f32(float, float)
declare float @llvm.floor.f32(float)
declare float @llvm.rint.f32(float)
declare float @llvm.copysign.f32(float, float)
declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x float> @llvm.sqrt.v8f32(<8 x float>)
declare <8 x float> @llvm.fabs.v8f32(<8 x float>)
declare <8 x float> @llvm.minimum.v8f32(<8 x float>, <8 x float>)
declare <8 x float> @llvm.maximum.v8f32(<8 x float>, <8 x float>)
declare <8 x float> @llvm.floor.v8f32(<8 x float>)
declare <8 x float> @llvm.rint.v8f32(<8 x float>)
declare <8 x float> @llvm.copysign.v8f32(<8 x float>, <8 x float>)
define internal void @sample(ptr noalias %a0, ptr noalias %a1, ptr noalias %a2) {
  %t1 = load float, ptr %a0, align 4
  %t2 = load float, ptr %a1, align 4
  %t3 = getelementptr float, ptr %a1, i64 1
  %t4 = load float, ptr %t3, align 4
  %t5 = call float @llvm.fma.f32(float %t1, float 0x3FE45F3060000000, float 0x4168000000000000)
  %t6 = fsub float 0x4168000000000000, %t5
  %t7 = call float @llvm.fma.f32(float %t6, float 0x3FF921FB60000000, float %t1)
  %t8 = call float @llvm.fma.f32(float %t6, float 0xBE6777A5C0000000, float %t7)
  %t9 = call float @llvm.fma.f32(float %t6, float 0xBCDEE59DA0000000, float %t8)
  %t10 = call float @llvm.fabs.f32(float %t1)
  %t11 = fcmp ole float %t10, 0x4130000000000000
  %t12 = select i1 %t11, float %t9, float 0x7FF8000000000000
  %t13 = fmul float %t12, %t12
  %t14 = fmul float %t12, %t13
  %t15 = call float @llvm.fma.f32(float %t13, float 0x3EC6DA8EC0000000, float 0xBF2A013660000000)
  %t16 = call float @llvm.fma.f32(float %t13, float %t15, float 0x3F811110E0000000)
  %t17 = call float @llvm.fma.f32(float %t13, float %t16, float 0xBFC5555560000000)
  %t18 = call float @llvm.fma.f32(float %t14, float %t17, float %t12)
  %t19 = call float @llvm.fma.f32(float %t13, float 0xBFE0000000000000, float 0x3FF0000000000000)
  %t20 = fsub float 0x3FF0000000000000, %t19
  %t21 = call float @llvm.fma.f32(float %t13, float 0xBFE0000000000000, float %t20)
  %t22 = fmul float %t13, %t13
  %t23 = call float @llvm.fma.f32(float %t13, float 0x3EF9BC2D40000000, float 0xBF56C12AA0000000)
  %t24 = call float @llvm.fma.f32(float %t13, float %t23, float 0x3FA5555540000000)
  %t25 = call float @llvm.fma.f32(float %t22, float %t24, float %t21)
  %t26 = fadd float %t19, %t25
  %t27 = bitcast float %t5 to i32
  %t28 = and i32 %t27, 1
  %t29 = icmp ne i32 %t28, 0
  %t30 = bitcast float %t5 to i32
  %t31 = and i32 %t30, 2
  %t32 = icmp ne i32 %t31, 0
  %t33 = fneg float %t18
  %t34 = select i1 %t29, float %t33, float %t26
  %t35 = fneg float %t34
  %t36 = select i1 %t32, float %t35, float %t34
  %t37 = select i1 %t29, float %t26, float %t18
  %t38 = fneg float %t37
  %t39 = select i1 %t32, float %t38, float %t37
  %t40 = fmul float %t4, %t39
  %t41 = fneg float %t40
  %t42 = call float @llvm.fma.f32(float %t2, float %t36, float %t41)
  %t43 = fmul float %t4, %t36
  %t44 = call float @llvm.fma.f32(float %t2, float %t39, float %t43)
  store float %t42, ptr %a2, align 4
  %t45 = getelementptr float, ptr %a2, i64 1
  store float %t44, ptr %t45, align 4
  ret void
}

define internal void @samples(ptr noalias %a0, i64 %s0, ptr noalias %a1, i64 %s1, ptr noalias %a2, i64 %s2, i64 %count) {
  %t1 = sub i64 %count, 1
  %t2 = call i64 @llvm.umin.i64(i64 1, i64 %t1)
  %t3 = call i64 @llvm.umin.i64(i64 2, i64 %t1)
  %t4 = call i64 @llvm.umin.i64(i64 3, i64 %t1)
  %t5 = call i64 @llvm.umin.i64(i64 4, i64 %t1)
  %t6 = call i64 @llvm.umin.i64(i64 5, i64 %t1)
  %t7 = call i64 @llvm.umin.i64(i64 6, i64 %t1)
  %t8 = call i64 @llvm.umin.i64(i64 7, i64 %t1)
  %t9 = mul i64 %t2, %s0
  %t10 = mul i64 %t3, %s0
  %t11 = mul i64 %t4, %s0
  %t12 = mul i64 %t5, %s0
  %t13 = mul i64 %t6, %s0
  %t14 = mul i64 %t7, %s0
  %t15 = mul i64 %t8, %s0
  %t16 = getelementptr i8, ptr %a0, i64 %t9
  %t17 = getelementptr i8, ptr %a0, i64 %t10
  %t18 = getelementptr i8, ptr %a0, i64 %t11
  %t19 = getelementptr i8, ptr %a0, i64 %t12
  %t20 = getelementptr i8, ptr %a0, i64 %t13
  %t21 = getelementptr i8, ptr %a0, i64 %t14
  %t22 = getelementptr i8, ptr %a0, i64 %t15
  %t23 = mul i64 %t2, %s1
  %t24 = mul i64 %t3, %s1
  %t25 = mul i64 %t4, %s1
  %t26 = mul i64 %t5, %s1
  %t27 = mul i64 %t6, %s1
  %t28 = mul i64 %t7, %s1
  %t29 = mul i64 %t8, %s1
  %t30 = getelementptr i8, ptr %a1, i64 %t23
  %t31 = getelementptr i8, ptr %a1, i64 %t24
  %t32 = getelementptr i8, ptr %a1, i64 %t25
  %t33 = getelementptr i8, ptr %a1, i64 %t26
  %t34 = getelementptr i8, ptr %a1, i64 %t27
  %t35 = getelementptr i8, ptr %a1, i64 %t28
  %t36 = getelementptr i8, ptr %a1, i64 %t29
  %t37 = mul i64 %t2, %s2
  %t38 = mul i64 %t3, %s2
  %t39 = mul i64 %t4, %s2
  %t40 = mul i64 %t5, %s2
  %t41 = mul i64 %t6, %s2
  %t42 = mul i64 %t7, %s2
  %t43 = mul i64 %t8, %s2
  %t44 = getelementptr i8, ptr %a2, i64 %t37
  %t45 = getelementptr i8, ptr %a2, i64 %t38
  %t46 = getelementptr i8, ptr %a2, i64 %t39
  %t47 = getelementptr i8, ptr %a2, i64 %t40
  %t48 = getelementptr i8, ptr %a2, i64 %t41
  %t49 = getelementptr i8, ptr %a2, i64 %t42
  %t50 = getelementptr i8, ptr %a2, i64 %t43
  %t51 = getelementptr float, ptr %a0, i64 0
  %t52 = load float, ptr %t51, align 4
  %t53 = getelementptr float, ptr %t16, i64 0
  %t54 = load float, ptr %t53, align 4
  %t55 = getelementptr float, ptr %t17, i64 0
  %t56 = load float, ptr %t55, align 4
  %t57 = getelementptr float, ptr %t18, i64 0
  %t58 = load float, ptr %t57, align 4
  %t59 = getelementptr float, ptr %t19, i64 0
  %t60 = load float, ptr %t59, align 4
  %t61 = getelementptr float, ptr %t20, i64 0
  %t62 = load float, ptr %t61, align 4
  %t63 = getelementptr float, ptr %t21, i64 0
  %t64 = load float, ptr %t63, align 4
  %t65 = getelementptr float, ptr %t22, i64 0
  %t66 = load float, ptr %t65, align 4
  %t67 = insertelement <8 x float> poison, float %t52, i32 0
  %t68 = insertelement <8 x float> %t67, float %t54, i32 1
  %t69 = insertelement <8 x float> %t68, float %t56, i32 2
  %t70 = insertelement <8 x float> %t69, float %t58, i32 3
  %t71 = insertelement <8 x float> %t70, float %t60, i32 4
  %t72 = insertelement <8 x float> %t71, float %t62, i32 5
  %t73 = insertelement <8 x float> %t72, float %t64, i32 6
  %t74 = insertelement <8 x float> %t73, float %t66, i32 7
  %t75 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t74, <8 x float> splat (float 0x3FE45F3060000000), <8 x float> splat (float 0x4168000000000000))
  %t76 = fsub <8 x float> splat (float 0x4168000000000000), %t75
  %t77 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t76, <8 x float> splat (float 0x3FF921FB60000000), <8 x float> %t74)
  %t78 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t76, <8 x float> splat (float 0xBE6777A5C0000000), <8 x float> %t77)
  %t79 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t76, <8 x float> splat (float 0xBCDEE59DA0000000), <8 x float> %t78)
  %t80 = call <8 x float> @llvm.fabs.v8f32(<8 x float> %t74)
  %t81 = fcmp ole <8 x float> %t80, splat (float 0x4130000000000000)
  %t82 = select <8 x i1> %t81, <8 x float> %t79, <8 x float> splat (float 0x7FF8000000000000)
  %t83 = fmul <8 x float> %t82, %t82
  %t84 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t83, <8 x float> splat (float 0xBFE0000000000000), <8 x float> splat (float 0x3FF0000000000000))
  %t85 = fsub <8 x float> splat (float 0x3FF0000000000000), %t84
  %t86 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t83, <8 x float> splat (float 0xBFE0000000000000), <8 x float> %t85)
  %t87 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t83, <8 x float> splat (float 0x3EF9BC2D40000000), <8 x float> splat (float 0xBF56C12AA0000000))
  %t88 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t83, <8 x float> %t87, <8 x float> splat (float 0x3FA5555540000000))
  %t89 = fmul <8 x float> %t83, %t83
  %t90 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t89, <8 x float> %t88, <8 x float> %t86)
  %t91 = fadd <8 x float> %t84, %t90
  %t92 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t83, <8 x float> splat (float 0x3EC6DA8EC0000000), <8 x float> splat (float 0xBF2A013660000000))
  %t93 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t83, <8 x float> %t92, <8 x float> splat (float 0x3F811110E0000000))
  %t94 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t83, <8 x float> %t93, <8 x float> splat (float 0xBFC5555560000000))
  %t95 = fmul <8 x float> %t82, %t83
  %t96 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t95, <8 x float> %t94, <8 x float> %t82)
  %t97 = bitcast <8 x float> %t75 to <8 x i32>
  %t98 = and <8 x i32> %t97, splat (i32 1)
  %t99 = icmp ne <8 x i32> %t98, splat (i32 0)
  %t100 = select <8 x i1> %t99, <8 x float> %t91, <8 x float> %t96
  %t101 = fneg <8 x float> %t100
  %t102 = bitcast <8 x float> %t75 to <8 x i32>
  %t103 = and <8 x i32> %t102, splat (i32 2)
  %t104 = icmp ne <8 x i32> %t103, splat (i32 0)
  %t105 = select <8 x i1> %t104, <8 x float> %t101, <8 x float> %t100
  %t106 = getelementptr float, ptr %a1, i64 0
  %t107 = load <2 x float>, ptr %t106, align 4
  %t108 = getelementptr float, ptr %t30, i64 0
  %t109 = load <2 x float>, ptr %t108, align 4
  %t110 = getelementptr float, ptr %t31, i64 0
  %t111 = load <2 x float>, ptr %t110, align 4
  %t112 = getelementptr float, ptr %t32, i64 0
  %t113 = load <2 x float>, ptr %t112, align 4
  %t114 = getelementptr float, ptr %t33, i64 0
  %t115 = load <2 x float>, ptr %t114, align 4
  %t116 = getelementptr float, ptr %t34, i64 0
  %t117 = load <2 x float>, ptr %t116, align 4
  %t118 = getelementptr float, ptr %t35, i64 0
  %t119 = load <2 x float>, ptr %t118, align 4
  %t120 = getelementptr float, ptr %t36, i64 0
  %t121 = load <2 x float>, ptr %t120, align 4
  %t122 = shufflevector <2 x float> %t107, <2 x float> %t111, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %t123 = shufflevector <2 x float> %t115, <2 x float> %t119, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %t124 = shufflevector <4 x float> %t122, <4 x float> %t123, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %t125 = shufflevector <2 x float> %t109, <2 x float> %t113, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %t126 = shufflevector <2 x float> %t117, <2 x float> %t121, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %t127 = shufflevector <4 x float> %t125, <4 x float> %t126, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %t128 = shufflevector <8 x float> %t124, <8 x float> %t127, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %t129 = shufflevector <8 x float> %t124, <8 x float> %t127, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %t130 = fmul <8 x float> %t129, %t105
  %t131 = fneg <8 x float> %t130
  %t132 = fneg <8 x float> %t96
  %t133 = select <8 x i1> %t99, <8 x float> %t132, <8 x float> %t91
  %t134 = fneg <8 x float> %t133
  %t135 = select <8 x i1> %t104, <8 x float> %t134, <8 x float> %t133
  %t136 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t128, <8 x float> %t135, <8 x float> %t131)
  %t137 = fmul <8 x float> %t129, %t135
  %t138 = call <8 x float> @llvm.fma.v8f32(<8 x float> %t128, <8 x float> %t105, <8 x float> %t137)
  %t139 = shufflevector <8 x float> %t136, <8 x float> %t138, <8 x i32> <i32 0, i32 8, i32 2, i32 10, i32 4, i32 12, i32 6, i32 14>
  %t140 = shufflevector <8 x float> %t136, <8 x float> %t138, <8 x i32> <i32 1, i32 9, i32 3, i32 11, i32 5, i32 13, i32 7, i32 15>
  %t141 = shufflevector <8 x float> %t139, <8 x float> poison, <2 x i32> <i32 0, i32 1>
  %t142 = shufflevector <8 x float> %t140, <8 x float> poison, <2 x i32> <i32 0, i32 1>
  %t143 = shufflevector <8 x float> %t139, <8 x float> poison, <2 x i32> <i32 2, i32 3>
  %t144 = shufflevector <8 x float> %t140, <8 x float> poison, <2 x i32> <i32 2, i32 3>
  %t145 = shufflevector <8 x float> %t139, <8 x float> poison, <2 x i32> <i32 4, i32 5>
  %t146 = shufflevector <8 x float> %t140, <8 x float> poison, <2 x i32> <i32 4, i32 5>
  %t147 = shufflevector <8 x float> %t139, <8 x float> poison, <2 x i32> <i32 6, i32 7>
  %t148 = shufflevector <8 x float> %t140, <8 x float> poison, <2 x i32> <i32 6, i32 7>
  %t149 = getelementptr float, ptr %a2, i64 0
  store <2 x float> %t141, ptr %t149, align 4
  %t150 = getelementptr float, ptr %t44, i64 0
  store <2 x float> %t142, ptr %t150, align 4
  %t151 = getelementptr float, ptr %t45, i64 0
  store <2 x float> %t143, ptr %t151, align 4
  %t152 = getelementptr float, ptr %t46, i64 0
  store <2 x float> %t144, ptr %t152, align 4
  %t153 = getelementptr float, ptr %t47, i64 0
  store <2 x float> %t145, ptr %t153, align 4
  %t154 = getelementptr float, ptr %t48, i64 0
  store <2 x float> %t146, ptr %t154, align 4
  %t155 = getelementptr float, ptr %t49, i64 0
  store <2 x float> %t147, ptr %t155, align 4
  %t156 = getelementptr float, ptr %t50, i64 0
  store <2 x float> %t148, ptr %t156, align 4
  ret void
}

define internal void @all_samples(ptr %args, ptr %dimensions, ptr %steps, ptr %data) {
entry:
  %b0 = alloca i8, i64 4, align 64
  %b1 = alloca i8, i64 8, align 64
  %b2 = alloca i8, i64 8, align 64
  %samples = load i64, ptr %dimensions, align 8
  %pp0 = getelementptr ptr, ptr %args, i64 0
  %p0 = load ptr, ptr %pp0, align 8
  %sp0 = getelementptr i64, ptr %steps, i64 0
  %s0 = load i64, ptr %sp0, align 8
  %core0 = getelementptr i64, ptr %steps, i64 3
  %pp1 = getelementptr ptr, ptr %args, i64 1
  %p1 = load ptr, ptr %pp1, align 8
  %sp1 = getelementptr i64, ptr %steps, i64 1
  %s1 = load i64, ptr %sp1, align 8
  %core1 = getelementptr i64, ptr %steps, i64 3
  %cp1_0 = getelementptr i64, ptr %core1, i64 0
  %c1_0 = load i64, ptr %cp1_0, align 8
  %e1_0 = icmp eq i64 %c1_0, 4
  %plain1_0 = and i1 true, %e1_0
  %pp2 = getelementptr ptr, ptr %args, i64 2
  %p2 = load ptr, ptr %pp2, align 8
  %sp2 = getelementptr i64, ptr %steps, i64 2
  %s2 = load i64, ptr %sp2, align 8
  %core2 = getelementptr i64, ptr %steps, i64 4
  %cp2_0 = getelementptr i64, ptr %core2, i64 0
  %c2_0 = load i64, ptr %cp2_0, align 8
  %e2_0 = icmp eq i64 %c2_0, 4
  %plain2_0 = and i1 %plain1_0, %e2_0
  %plain = and i1 %plain2_0, true
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
  %next = add i64 %done, 8
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
  call void @copy1(ptr %b1, ptr %sq1, ptr %core1)
  call void @sample(ptr %b0, ptr %b1, ptr %b2)
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

  %near = getelementptr i32, ptr %buffer, i64 %i
  %far = getelementptr i8, ptr %place, i64 0
  %value = load i32, ptr %far, align 4
  store i32 %value, ptr %near, align 4
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 1
  br i1 %more, label %entries, label %end
end:
  ret void
}
define internal void @copy1(ptr %buffer, ptr %place, ptr %strides) {
entry:
  br i1 true, label %entries, label %end
entries:
  %i = phi i64 [0, %entry], [%next, %entries]
  %d0 = udiv i64 %i, 1
  %m0 = urem i64 %d0, 2
  %cp0 = getelementptr i64, ptr %strides, i64 0
  %c0 = load i64, ptr %cp0, align 8
  %t0 = mul i64 %m0, %c0
  %u0 = add i64 0, %t0
  %near = getelementptr i32, ptr %buffer, i64 %i
  %far = getelementptr i8, ptr %place, i64 %u0
  %value = load i32, ptr %far, align 4
  store i32 %value, ptr %near, align 4
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 2
  br i1 %more, label %entries, label %end
end:
  ret void
}
define internal void @copy2(ptr %buffer, ptr %place, ptr %strides) {
entry:
  br i1 true, label %entries, label %end
entries:
  %i = phi i64 [0, %entry], [%next, %entries]
  %d0 = udiv i64 %i, 1
  %m0 = urem i64 %d0, 2
  %cp0 = getelementptr i64, ptr %strides, i64 0
  %c0 = load i64, ptr %cp0, align 8
  %t0 = mul i64 %m0, %c0
  %u0 = add i64 0, %t0
  %near = getelementptr i32, ptr %buffer, i64 %i
  %far = getelementptr i8, ptr %place, i64 %u0
  %value = load i32, ptr %near, align 4
  store i32 %value, ptr %far, align 4
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 2
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

@shape_2 = internal constant [1 x i64] [i64 2], align 8
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
  %enough = icmp eq i64 %nargs, 2
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
  %same_nd0 = icmp eq i32 %nd0, 0
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

  %dp0 = getelementptr i8, ptr %arg0, i64 16
  %d0 = load ptr, ptr %dp0, align 8
  br i1 true, label %check1, label %slow
check1:
  %ap1 = getelementptr ptr, ptr %args, i64 1
  %arg1 = load ptr, ptr %ap1, align 8
  %tp1 = getelementptr i8, ptr %arg1, i64 8
  %type1 = load ptr, ptr %tp1, align 8
  %is_array1 = icmp eq ptr %type1, %array_type
  br i1 %is_array1, label %array1, label %slow
array1:
  %ndp1 = getelementptr i8, ptr %arg1, i64 24
  %nd1 = load i32, ptr %ndp1, align 4
  %same_nd1 = icmp eq i32 %nd1, 1
  %dep1 = getelementptr i8, ptr %arg1, i64 56
  %de1 = load ptr, ptr %dep1, align 8
  %same_de1 = icmp eq ptr %de1, %descriptor
  %flp1 = getelementptr i8, ptr %arg1, i64 64
  %fl1 = load i32, ptr %flp1, align 4
  %fm1 = and i32 %fl1, 257
  %same_fl1 = icmp eq i32 %fm1, 257
  %both1 = and i1 %same_nd1, %same_de1
  %all1 = and i1 %both1, %same_fl1
  br i1 %all1, label %sizes1, label %slow
sizes1:
  %dimp1 = getelementptr i8, ptr %arg1, i64 32
  %dims1 = load ptr, ptr %dimp1, align 8
  %np1_0 = getelementptr i64, ptr %dims1, i64 0
  %n1_0 = load i64, ptr %np1_0, align 8
  %f1_0 = icmp eq i64 %n1_0, 2
  %fits1_1 = and i1 true, %f1_0
  %dp1 = getelementptr i8, ptr %arg1, i64 16
  %d1 = load ptr, ptr %dp1, align 8
  br i1 %fits1_1, label %check2, label %slow
check2:
  %r0 = call ptr %PyArray_New(ptr %array_type, i32 1, ptr @shape_2, i32 11, ptr null, ptr null, i32 0, i32 0, ptr null)
  %bad0 = icmp eq ptr %r0, null
  br i1 %bad0, label %failed, label %made0
made0:
  %rp0 = getelementptr i8, ptr %r0, i64 16
  %rd0 = load ptr, ptr %rp0, align 8
  br label %make1
make1:
  call void @sample(ptr %d0, ptr %d1, ptr %rd0)
  ret ptr %r0
failed:
  ret ptr null
slow:
  %answer = call ptr %PyObject_Vectorcall(ptr %slow_callable, ptr %args, i64 %nargs, ptr null)
  ret ptr %answer
}
