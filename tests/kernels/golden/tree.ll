declare i64 @llvm.umin.i64(i64, i64)
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare ptr @malloc(i64)
declare void @free(ptr)
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)
declare double @llvm.minimum.f64(double, double)
declare double @llvm.maximum.f64(double, double)
declare double @llvm.floor.f64(double)
declare double @llvm.rint.f64(double)
declare double @llvm.copysign.f64(double, double)
declare <2 x double> @llvm.fma.v2f64(<2 x double>, <2 x double>, <2 x double>)
declare <2 x double> @llvm.sqrt.v2f64(<2 x double>)
declare <2 x double> @llvm.fabs.v2f64(<2 x double>)
declare <2 x double> @llvm.minimum.v2f64(<2 x double>, <2 x double>)
declare <2 x double> @llvm.maximum.v2f64(<2 x double>, <2 x double>)
declare <2 x double> @llvm.floor.v2f64(<2 x double>)
declare <2 x double> @llvm.rint.v2f64(<2 x double>)
declare <2 x double> @llvm.copysign.v2f64(<2 x double>, <2 x double>)
@sample_scan0_records = internal constant [28 x i32] [i32 0, i32 0, i32 38, i32 8, i32 15, i32 38, i32 0, i32 1, i32 0, i32 8, i32 16, i32 23, i32 8, i32 1, i32 1, i32 3, i32 16, i32 23, i32 30, i32 16, i32 2, i32 0, i32 3, i32 16, i32 30, i32 37, i32 16, i32 3], align 4
@sample_scan0_table0 = internal constant [6 x double] [double 0xBFC0E8CFE9BD45CC, double 0x3FE47E57A468B06D, double 0x3FBADABBEC84D4F0, double 0xBFE3F1DD4920F4FB, double 0x3FA528ADC38B0CE3, double 0xC00299A9BC1A2383], align 64
@sample_scan0_table1 = internal constant [6 x double] [double 0xBFE1243418E643ED, double 0x3FD7245F95CED1E6, double 0x3FF4DD2F26BD103C, double 0x3FEE4E7CBC69BCA3, double 0xBFE684FFC1DAAF28, double 0xBFF43F2A959CC8BB], align 64
define internal void @sample_scan0_step0(ptr %scratch, ptr %record) {
  %t1 = getelementptr i32, ptr %record, i64 2
  %t2 = load i32, ptr %t1, align 4
  %t3 = sext i32 %t2 to i64
  %t4 = getelementptr double, ptr %scratch, i64 %t3
  %t5 = load double, ptr %t4, align 8
  %t6 = getelementptr double, ptr %t4, i64 1
  %t7 = load double, ptr %t6, align 8
  %t8 = getelementptr double, ptr %t4, i64 2
  %t9 = load double, ptr %t8, align 8
  %t10 = getelementptr i32, ptr %record, i64 1
  %t11 = load i32, ptr %t10, align 4
  %t12 = sext i32 %t11 to i64
  %t13 = getelementptr double, ptr @sample_scan0_table0, i64 %t12
  %t14 = getelementptr double, ptr %t13, i64 0
  %t15 = load double, ptr %t14, align 8
  %t16 = call double @llvm.fma.f64(double %t5, double %t15, double %t9)
  %t17 = getelementptr double, ptr %t13, i64 1
  %t18 = load double, ptr %t17, align 8
  %t19 = getelementptr i32, ptr %record, i64 6
  %t20 = load i32, ptr %t19, align 4
  %t21 = sext i32 %t20 to i64
  %t22 = getelementptr double, ptr %scratch, i64 %t21
  %t23 = load double, ptr %t22, align 8
  %t24 = fadd double %t23, %t18
  %t25 = call double @llvm.fma.f64(double %t7, double %t24, double %t16)
  %t26 = getelementptr double, ptr %t4, i64 3
  %t27 = load double, ptr %t26, align 8
  %t28 = getelementptr double, ptr %t4, i64 4
  %t29 = load double, ptr %t28, align 8
  %t30 = getelementptr double, ptr %t4, i64 5
  %t31 = load double, ptr %t30, align 8
  %t32 = call double @llvm.fma.f64(double %t27, double %t15, double %t31)
  %t33 = call double @llvm.fma.f64(double %t29, double %t24, double %t32)
  %t34 = getelementptr double, ptr %t13, i64 2
  %t35 = load double, ptr %t34, align 8
  %t36 = getelementptr double, ptr %t4, i64 6
  %t37 = load double, ptr %t36, align 8
  %t38 = fadd double %t37, %t35
  %t39 = getelementptr i32, ptr %record, i64 3
  %t40 = load i32, ptr %t39, align 4
  %t41 = sext i32 %t40 to i64
  %t42 = getelementptr double, ptr %scratch, i64 %t41
  store double %t5, ptr %t42, align 8
  %t43 = getelementptr double, ptr %t42, i64 1
  store double %t7, ptr %t43, align 8
  %t44 = getelementptr double, ptr %t42, i64 2
  store double %t25, ptr %t44, align 8
  %t45 = getelementptr double, ptr %t42, i64 3
  store double %t27, ptr %t45, align 8
  %t46 = getelementptr double, ptr %t42, i64 4
  store double %t29, ptr %t46, align 8
  %t47 = getelementptr double, ptr %t42, i64 5
  store double %t33, ptr %t47, align 8
  %t48 = getelementptr double, ptr %t42, i64 6
  store double %t38, ptr %t48, align 8
  %t49 = getelementptr i32, ptr %record, i64 4
  %t50 = load i32, ptr %t49, align 4
  %t51 = sext i32 %t50 to i64
  %t52 = getelementptr double, ptr %scratch, i64 %t51
  store double %t24, ptr %t52, align 8
  ret void
}

define internal void @sample_scan0_step1(ptr %scratch, ptr %record) {
  %t1 = getelementptr i32, ptr %record, i64 6
  %t2 = load i32, ptr %t1, align 4
  %t3 = sext i32 %t2 to i64
  %t4 = getelementptr double, ptr %scratch, i64 %t3
  %t5 = load double, ptr %t4, align 8
  %t6 = call double @llvm.fma.f64(double %t5, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %t7 = fsub double 0x4338000000000000, %t6
  %t8 = call double @llvm.fma.f64(double %t7, double 0x3FF921FB54442D18, double %t5)
  %t9 = call double @llvm.fma.f64(double %t7, double 0x3C91A62633145C07, double %t8)
  %t10 = call double @llvm.fma.f64(double %t7, double 0xB91F1976B7ED8FBC, double %t9)
  %t11 = call double @llvm.fabs.f64(double %t5)
  %t12 = fcmp ole double %t11, 0x4310000000000000
  %t13 = select i1 %t12, double %t10, double 0x7FF8000000000000
  %t14 = fmul double %t13, %t13
  %t15 = call double @llvm.fma.f64(double %t14, double 0xBDA906DBF4FDA044, double 0x3E21EEB52A201DA3)
  %t16 = call double @llvm.fma.f64(double %t14, double %t15, double 0xBE927E4FA0241F7C)
  %t17 = call double @llvm.fma.f64(double %t14, double %t16, double 0x3EFA01A019F3DDE1)
  %t18 = call double @llvm.fma.f64(double %t14, double %t17, double 0xBF56C16C16C1691F)
  %t19 = call double @llvm.fma.f64(double %t14, double %t18, double 0x3FA5555555555555)
  %t20 = call double @llvm.fma.f64(double %t14, double 0xBFE0000000000000, double 0x3FF0000000000000)
  %t21 = fsub double 0x3FF0000000000000, %t20
  %t22 = call double @llvm.fma.f64(double %t14, double 0xBFE0000000000000, double %t21)
  %t23 = fmul double %t14, %t14
  %t24 = call double @llvm.fma.f64(double %t23, double %t19, double %t22)
  %t25 = fadd double %t20, %t24
  %t26 = call double @llvm.fma.f64(double %t14, double 0x3DE5DFB39C3139B6, double 0xBE5AE5FDE7F12068)
  %t27 = call double @llvm.fma.f64(double %t14, double %t26, double 0x3EC71DE376B644CC)
  %t28 = call double @llvm.fma.f64(double %t14, double %t27, double 0xBF2A01A019E620EE)
  %t29 = call double @llvm.fma.f64(double %t14, double %t28, double 0x3F81111111110B23)
  %t30 = call double @llvm.fma.f64(double %t14, double %t29, double 0xBFC5555555555555)
  %t31 = fmul double %t13, %t14
  %t32 = call double @llvm.fma.f64(double %t31, double %t30, double %t13)
  %t33 = bitcast double %t6 to i64
  %t34 = and i64 %t33, 1
  %t35 = icmp ne i64 %t34, 0
  %t36 = select i1 %t35, double %t25, double %t32
  %t37 = fneg double %t36
  %t38 = bitcast double %t6 to i64
  %t39 = and i64 %t38, 2
  %t40 = icmp ne i64 %t39, 0
  %t41 = select i1 %t40, double %t37, double %t36
  %t42 = getelementptr i32, ptr %record, i64 2
  %t43 = load i32, ptr %t42, align 4
  %t44 = sext i32 %t43 to i64
  %t45 = getelementptr double, ptr %scratch, i64 %t44
  %t46 = getelementptr double, ptr %t45, i64 1
  %t47 = load double, ptr %t46, align 8
  %t48 = fmul double %t47, %t41
  %t49 = fneg double %t32
  %t50 = select i1 %t35, double %t49, double %t25
  %t51 = fneg double %t50
  %t52 = select i1 %t40, double %t51, double %t50
  %t53 = load double, ptr %t45, align 8
  %t54 = call double @llvm.fma.f64(double %t53, double %t52, double %t48)
  %t55 = fmul double %t47, %t52
  %t56 = fneg double %t41
  %t57 = call double @llvm.fma.f64(double %t53, double %t56, double %t55)
  %t58 = getelementptr double, ptr %t45, i64 2
  %t59 = load double, ptr %t58, align 8
  %t60 = getelementptr i32, ptr %record, i64 1
  %t61 = load i32, ptr %t60, align 4
  %t62 = sext i32 %t61 to i64
  %t63 = getelementptr double, ptr @sample_scan0_table1, i64 %t62
  %t64 = getelementptr double, ptr %t63, i64 0
  %t65 = load double, ptr %t64, align 8
  %t66 = call double @llvm.fma.f64(double %t53, double %t65, double %t59)
  %t67 = getelementptr double, ptr %t63, i64 1
  %t68 = load double, ptr %t67, align 8
  %t69 = call double @llvm.fma.f64(double %t47, double %t68, double %t66)
  %t70 = getelementptr double, ptr %t45, i64 4
  %t71 = load double, ptr %t70, align 8
  %t72 = fmul double %t71, %t41
  %t73 = getelementptr double, ptr %t45, i64 3
  %t74 = load double, ptr %t73, align 8
  %t75 = call double @llvm.fma.f64(double %t74, double %t52, double %t72)
  %t76 = fmul double %t71, %t52
  %t77 = call double @llvm.fma.f64(double %t74, double %t56, double %t76)
  %t78 = getelementptr double, ptr %t45, i64 5
  %t79 = load double, ptr %t78, align 8
  %t80 = call double @llvm.fma.f64(double %t74, double %t65, double %t79)
  %t81 = call double @llvm.fma.f64(double %t71, double %t68, double %t80)
  %t82 = getelementptr double, ptr %t63, i64 2
  %t83 = load double, ptr %t82, align 8
  %t84 = getelementptr double, ptr %t45, i64 6
  %t85 = load double, ptr %t84, align 8
  %t86 = fadd double %t85, %t83
  %t87 = getelementptr i32, ptr %record, i64 3
  %t88 = load i32, ptr %t87, align 4
  %t89 = sext i32 %t88 to i64
  %t90 = getelementptr double, ptr %scratch, i64 %t89
  store double %t54, ptr %t90, align 8
  %t91 = getelementptr double, ptr %t90, i64 1
  store double %t57, ptr %t91, align 8
  %t92 = getelementptr double, ptr %t90, i64 2
  store double %t69, ptr %t92, align 8
  %t93 = getelementptr double, ptr %t90, i64 3
  store double %t75, ptr %t93, align 8
  %t94 = getelementptr double, ptr %t90, i64 4
  store double %t77, ptr %t94, align 8
  %t95 = getelementptr double, ptr %t90, i64 5
  store double %t81, ptr %t95, align 8
  %t96 = getelementptr double, ptr %t90, i64 6
  store double %t86, ptr %t96, align 8
  ret void
}

define internal void @sample_scan0(ptr %scratch) {
entry:
  br label %items
items:
  %item = phi i64 [0, %entry], [%next, %after]
  %position = mul i64 %item, 7
  %record = getelementptr i32, ptr @sample_scan0_records, i64 %position
  %kind = load i32, ptr %record, align 4
  switch i32 %kind, label %after [i32 0, label %kind0 i32 1, label %kind1]
kind0:
  call void @sample_scan0_step0(ptr %scratch, ptr %record)
  br label %after
kind1:
  call void @sample_scan0_step1(ptr %scratch, ptr %record)
  br label %after
after:
  %next = add i64 %item, 1
  %again = icmp slt i64 %next, 4
  br i1 %again, label %items, label %end
end:
  ret void
}

@sample_scan1_records = internal constant [32 x i32] [i32 0, i32 0, i32 67, i32 49, i32 45, i32 76, i32 15, i32 4, i32 1, i32 0, i32 58, i32 67, i32 46, i32 76, i32 5, i32 0, i32 1, i32 4, i32 76, i32 58, i32 47, i32 58, i32 6, i32 0, i32 0, i32 4, i32 76, i32 58, i32 48, i32 76, i32 37, i32 7], align 4
@sample_scan1_table0 = internal constant [8 x double] [double 0xBFC0E8CFE9BD45CC, double 0x3FBADABBEC84D4F0, double 0x3FE47E57A468B06D, double 0x3FF089910738DE79, double 0xBFE3F1DD4920F4FB, double 0xC00299A9BC1A2383, double 0x3FA528ADC38B0CE3, double 0x3FFDCF94B3A16DB8], align 64
@sample_scan1_table1 = internal constant [8 x double] [double 0xBFE1243418E643ED, double 0x3FD7245F95CED1E6, double 0x3FF4DD2F26BD103C, double 0x3FFBACAB307C3CFD, double 0x3FEE4E7CBC69BCA3, double 0xBFE684FFC1DAAF28, double 0xBFF43F2A959CC8BB, double 0x3FF2CF7C449D8B92], align 64
define internal void @sample_scan1_step0(ptr %scratch, ptr %record) {
  %t1 = getelementptr i32, ptr %record, i64 7
  %t2 = load i32, ptr %t1, align 4
  %t3 = sext i32 %t2 to i64
  %t4 = getelementptr double, ptr %scratch, i64 %t3
  %t5 = load double, ptr %t4, align 8
  %t6 = getelementptr i32, ptr %record, i64 1
  %t7 = load i32, ptr %t6, align 4
  %t8 = sext i32 %t7 to i64
  %t9 = getelementptr double, ptr @sample_scan1_table0, i64 %t8
  %t10 = getelementptr double, ptr %t9, i64 3
  %t11 = load double, ptr %t10, align 8
  %t12 = fmul double %t11, %t5
  %t13 = getelementptr i32, ptr %record, i64 2
  %t14 = load i32, ptr %t13, align 4
  %t15 = sext i32 %t14 to i64
  %t16 = getelementptr double, ptr %scratch, i64 %t15
  %t17 = load double, ptr %t16, align 8
  %t18 = getelementptr double, ptr %t9, i64 0
  %t19 = load double, ptr %t18, align 8
  %t20 = call double @llvm.fma.f64(double %t19, double %t12, double %t17)
  %t21 = getelementptr double, ptr %t16, i64 1
  %t22 = load double, ptr %t21, align 8
  %t23 = getelementptr i32, ptr %record, i64 6
  %t24 = load i32, ptr %t23, align 4
  %t25 = sext i32 %t24 to i64
  %t26 = getelementptr double, ptr %scratch, i64 %t25
  %t27 = load double, ptr %t26, align 8
  %t28 = call double @llvm.fma.f64(double %t27, double %t12, double %t22)
  %t29 = getelementptr double, ptr %t16, i64 2
  %t30 = load double, ptr %t29, align 8
  %t31 = getelementptr double, ptr %t9, i64 1
  %t32 = load double, ptr %t31, align 8
  %t33 = call double @llvm.fma.f64(double %t32, double %t12, double %t30)
  %t34 = fmul double %t19, %t19
  %t35 = getelementptr double, ptr %t16, i64 3
  %t36 = load double, ptr %t35, align 8
  %t37 = call double @llvm.fma.f64(double %t11, double %t34, double %t36)
  %t38 = fmul double %t37, 0x3FECCCCCCCCCCCCD
  %t39 = getelementptr double, ptr %t9, i64 2
  %t40 = load double, ptr %t39, align 8
  %t41 = fmul double %t19, %t40
  %t42 = getelementptr double, ptr %t16, i64 4
  %t43 = load double, ptr %t42, align 8
  %t44 = call double @llvm.fma.f64(double %t11, double %t41, double %t43)
  %t45 = fmul double %t44, 0x3FECCCCCCCCCCCCD
  %t46 = fmul double %t19, %t32
  %t47 = getelementptr double, ptr %t16, i64 5
  %t48 = load double, ptr %t47, align 8
  %t49 = call double @llvm.fma.f64(double %t11, double %t46, double %t48)
  %t50 = fmul double %t49, 0x3FECCCCCCCCCCCCD
  %t51 = fmul double %t40, %t40
  %t52 = getelementptr double, ptr %t16, i64 6
  %t53 = load double, ptr %t52, align 8
  %t54 = call double @llvm.fma.f64(double %t11, double %t51, double %t53)
  %t55 = fmul double %t54, 0x3FECCCCCCCCCCCCD
  %t56 = fmul double %t32, %t40
  %t57 = getelementptr double, ptr %t16, i64 7
  %t58 = load double, ptr %t57, align 8
  %t59 = call double @llvm.fma.f64(double %t11, double %t56, double %t58)
  %t60 = fmul double %t59, 0x3FECCCCCCCCCCCCD
  %t61 = fmul double %t32, %t32
  %t62 = getelementptr double, ptr %t16, i64 8
  %t63 = load double, ptr %t62, align 8
  %t64 = call double @llvm.fma.f64(double %t11, double %t61, double %t63)
  %t65 = fmul double %t64, 0x3FECCCCCCCCCCCCD
  %t66 = call double @llvm.fma.f64(double %t33, double %t33, double %t44)
  %t67 = call double @llvm.fma.f64(double %t20, double %t20, double %t66)
  %t68 = call double @llvm.fma.f64(double %t28, double %t28, double %t67)
  %t69 = getelementptr i32, ptr %record, i64 5
  %t70 = load i32, ptr %t69, align 4
  %t71 = sext i32 %t70 to i64
  %t72 = getelementptr double, ptr %scratch, i64 %t71
  %t73 = load double, ptr %t72, align 8
  %t74 = fadd double %t73, %t20
  %t75 = getelementptr i32, ptr %record, i64 3
  %t76 = load i32, ptr %t75, align 4
  %t77 = sext i32 %t76 to i64
  %t78 = getelementptr double, ptr %scratch, i64 %t77
  store double %t74, ptr %t78, align 8
  %t79 = getelementptr double, ptr %t72, i64 1
  %t80 = load double, ptr %t79, align 8
  %t81 = fadd double %t80, %t28
  %t82 = getelementptr double, ptr %t78, i64 1
  store double %t81, ptr %t82, align 8
  %t83 = getelementptr double, ptr %t72, i64 2
  %t84 = load double, ptr %t83, align 8
  %t85 = fadd double %t84, %t33
  %t86 = getelementptr double, ptr %t78, i64 2
  store double %t85, ptr %t86, align 8
  %t87 = getelementptr double, ptr %t72, i64 3
  %t88 = load double, ptr %t87, align 8
  %t89 = fadd double %t88, %t38
  %t90 = getelementptr double, ptr %t78, i64 3
  store double %t89, ptr %t90, align 8
  %t91 = getelementptr double, ptr %t72, i64 4
  %t92 = load double, ptr %t91, align 8
  %t93 = fadd double %t92, %t45
  %t94 = getelementptr double, ptr %t78, i64 4
  store double %t93, ptr %t94, align 8
  %t95 = getelementptr double, ptr %t72, i64 5
  %t96 = load double, ptr %t95, align 8
  %t97 = fadd double %t96, %t50
  %t98 = getelementptr double, ptr %t78, i64 5
  store double %t97, ptr %t98, align 8
  %t99 = getelementptr double, ptr %t72, i64 6
  %t100 = load double, ptr %t99, align 8
  %t101 = fadd double %t100, %t55
  %t102 = getelementptr double, ptr %t78, i64 6
  store double %t101, ptr %t102, align 8
  %t103 = getelementptr double, ptr %t72, i64 7
  %t104 = load double, ptr %t103, align 8
  %t105 = fadd double %t104, %t60
  %t106 = getelementptr double, ptr %t78, i64 7
  store double %t105, ptr %t106, align 8
  %t107 = getelementptr double, ptr %t72, i64 8
  %t108 = load double, ptr %t107, align 8
  %t109 = fadd double %t108, %t65
  %t110 = getelementptr double, ptr %t78, i64 8
  store double %t109, ptr %t110, align 8
  %t111 = getelementptr i32, ptr %record, i64 4
  %t112 = load i32, ptr %t111, align 4
  %t113 = sext i32 %t112 to i64
  %t114 = getelementptr double, ptr %scratch, i64 %t113
  store double %t68, ptr %t114, align 8
  ret void
}

define internal void @sample_scan1_step1(ptr %scratch, ptr %record) {
  %t1 = getelementptr i32, ptr %record, i64 6
  %t2 = load i32, ptr %t1, align 4
  %t3 = sext i32 %t2 to i64
  %t4 = getelementptr double, ptr %scratch, i64 %t3
  %t5 = load double, ptr %t4, align 8
  %t6 = getelementptr i32, ptr %record, i64 1
  %t7 = load i32, ptr %t6, align 4
  %t8 = sext i32 %t7 to i64
  %t9 = getelementptr double, ptr @sample_scan1_table1, i64 %t8
  %t10 = getelementptr double, ptr %t9, i64 3
  %t11 = load double, ptr %t10, align 8
  %t12 = fmul double %t11, %t5
  %t13 = getelementptr i32, ptr %record, i64 2
  %t14 = load i32, ptr %t13, align 4
  %t15 = sext i32 %t14 to i64
  %t16 = getelementptr double, ptr %scratch, i64 %t15
  %t17 = load double, ptr %t16, align 8
  %t18 = getelementptr double, ptr %t9, i64 0
  %t19 = load double, ptr %t18, align 8
  %t20 = call double @llvm.fma.f64(double %t19, double %t12, double %t17)
  %t21 = getelementptr double, ptr %t16, i64 1
  %t22 = load double, ptr %t21, align 8
  %t23 = getelementptr double, ptr %t9, i64 1
  %t24 = load double, ptr %t23, align 8
  %t25 = call double @llvm.fma.f64(double %t24, double %t12, double %t22)
  %t26 = getelementptr double, ptr %t16, i64 2
  %t27 = load double, ptr %t26, align 8
  %t28 = getelementptr double, ptr %t9, i64 2
  %t29 = load double, ptr %t28, align 8
  %t30 = call double @llvm.fma.f64(double %t29, double %t12, double %t27)
  %t31 = fmul double %t19, %t19
  %t32 = getelementptr double, ptr %t16, i64 3
  %t33 = load double, ptr %t32, align 8
  %t34 = call double @llvm.fma.f64(double %t11, double %t31, double %t33)
  %t35 = fmul double %t34, 0x3FECCCCCCCCCCCCD
  %t36 = fmul double %t19, %t24
  %t37 = getelementptr double, ptr %t16, i64 4
  %t38 = load double, ptr %t37, align 8
  %t39 = call double @llvm.fma.f64(double %t11, double %t36, double %t38)
  %t40 = fmul double %t39, 0x3FECCCCCCCCCCCCD
  %t41 = fmul double %t19, %t29
  %t42 = getelementptr double, ptr %t16, i64 5
  %t43 = load double, ptr %t42, align 8
  %t44 = call double @llvm.fma.f64(double %t11, double %t41, double %t43)
  %t45 = fmul double %t44, 0x3FECCCCCCCCCCCCD
  %t46 = fmul double %t24, %t24
  %t47 = getelementptr double, ptr %t16, i64 6
  %t48 = load double, ptr %t47, align 8
  %t49 = call double @llvm.fma.f64(double %t11, double %t46, double %t48)
  %t50 = fmul double %t49, 0x3FECCCCCCCCCCCCD
  %t51 = fmul double %t24, %t29
  %t52 = getelementptr double, ptr %t16, i64 7
  %t53 = load double, ptr %t52, align 8
  %t54 = call double @llvm.fma.f64(double %t11, double %t51, double %t53)
  %t55 = fmul double %t54, 0x3FECCCCCCCCCCCCD
  %t56 = fmul double %t29, %t29
  %t57 = getelementptr double, ptr %t16, i64 8
  %t58 = load double, ptr %t57, align 8
  %t59 = call double @llvm.fma.f64(double %t11, double %t56, double %t58)
  %t60 = fmul double %t59, 0x3FECCCCCCCCCCCCD
  %t61 = call double @llvm.fma.f64(double %t30, double %t30, double %t39)
  %t62 = call double @llvm.fma.f64(double %t20, double %t20, double %t61)
  %t63 = call double @llvm.fma.f64(double %t25, double %t25, double %t62)
  %t64 = getelementptr i32, ptr %record, i64 5
  %t65 = load i32, ptr %t64, align 4
  %t66 = sext i32 %t65 to i64
  %t67 = getelementptr double, ptr %scratch, i64 %t66
  %t68 = load double, ptr %t67, align 8
  %t69 = fadd double %t68, %t20
  %t70 = getelementptr i32, ptr %record, i64 3
  %t71 = load i32, ptr %t70, align 4
  %t72 = sext i32 %t71 to i64
  %t73 = getelementptr double, ptr %scratch, i64 %t72
  store double %t69, ptr %t73, align 8
  %t74 = getelementptr double, ptr %t67, i64 1
  %t75 = load double, ptr %t74, align 8
  %t76 = fadd double %t75, %t25
  %t77 = getelementptr double, ptr %t73, i64 1
  store double %t76, ptr %t77, align 8
  %t78 = getelementptr double, ptr %t67, i64 2
  %t79 = load double, ptr %t78, align 8
  %t80 = fadd double %t79, %t30
  %t81 = getelementptr double, ptr %t73, i64 2
  store double %t80, ptr %t81, align 8
  %t82 = getelementptr double, ptr %t67, i64 3
  %t83 = load double, ptr %t82, align 8
  %t84 = fadd double %t83, %t35
  %t85 = getelementptr double, ptr %t73, i64 3
  store double %t84, ptr %t85, align 8
  %t86 = getelementptr double, ptr %t67, i64 4
  %t87 = load double, ptr %t86, align 8
  %t88 = fadd double %t87, %t40
  %t89 = getelementptr double, ptr %t73, i64 4
  store double %t88, ptr %t89, align 8
  %t90 = getelementptr double, ptr %t67, i64 5
  %t91 = load double, ptr %t90, align 8
  %t92 = fadd double %t91, %t45
  %t93 = getelementptr double, ptr %t73, i64 5
  store double %t92, ptr %t93, align 8
  %t94 = getelementptr double, ptr %t67, i64 6
  %t95 = load double, ptr %t94, align 8
  %t96 = fadd double %t95, %t50
  %t97 = getelementptr double, ptr %t73, i64 6
  store double %t96, ptr %t97, align 8
  %t98 = getelementptr double, ptr %t67, i64 7
  %t99 = load double, ptr %t98, align 8
  %t100 = fadd double %t99, %t55
  %t101 = getelementptr double, ptr %t73, i64 7
  store double %t100, ptr %t101, align 8
  %t102 = getelementptr double, ptr %t67, i64 8
  %t103 = load double, ptr %t102, align 8
  %t104 = fadd double %t103, %t60
  %t105 = getelementptr double, ptr %t73, i64 8
  store double %t104, ptr %t105, align 8
  %t106 = getelementptr i32, ptr %record, i64 4
  %t107 = load i32, ptr %t106, align 4
  %t108 = sext i32 %t107 to i64
  %t109 = getelementptr double, ptr %scratch, i64 %t108
  store double %t63, ptr %t109, align 8
  ret void
}

define internal void @sample_scan1(ptr %scratch) {
entry:
  br label %items
items:
  %item = phi i64 [3, %entry], [%next, %after]
  %position = mul i64 %item, 8
  %record = getelementptr i32, ptr @sample_scan1_records, i64 %position
  %kind = load i32, ptr %record, align 4
  switch i32 %kind, label %after [i32 0, label %kind0 i32 1, label %kind1]
kind0:
  call void @sample_scan1_step0(ptr %scratch, ptr %record)
  br label %after
kind1:
  call void @sample_scan1_step1(ptr %scratch, ptr %record)
  br label %after
after:
  %next = add i64 %item, -1
  %again = icmp sgt i64 %next, -1
  br i1 %again, label %items, label %end
end:
  ret void
}

define internal void @sample_in0(ptr %row0, ptr %scratch) {
entry:
  br label %chunk
chunk:
  %done = phi i64 [0, %entry], [%next, %chunk]
  %start = call i64 @llvm.umin.i64(i64 %done, i64 3)
  %there = getelementptr double, ptr %scratch, i64 %start
  %t1 = getelementptr double, ptr %row0, i64 %start
  %t2 = getelementptr double, ptr %t1, i64 0
  %t3 = load double, ptr %t2, align 8
  store double %t3, ptr %there, align 8
  %next = add i64 %done, 1
  %more = icmp slt i64 %next, 4
  br i1 %more, label %chunk, label %end
end:
  ret void
}

define internal void @sample_in1(ptr %row0, ptr %scratch) {
entry:
  br label %chunk
chunk:
  %done = phi i64 [0, %entry], [%next, %chunk]
  %start = call i64 @llvm.umin.i64(i64 %done, i64 3)
  %there = getelementptr double, ptr %scratch, i64 %start
  %t1 = getelementptr double, ptr %row0, i64 %start
  %t2 = getelementptr double, ptr %t1, i64 0
  %t3 = load double, ptr %t2, align 8
  store double %t3, ptr %there, align 8
  %next = add i64 %done, 1
  %more = icmp slt i64 %next, 4
  br i1 %more, label %chunk, label %end
end:
  ret void
}

@sample_out0_places = internal constant [16 x i32] [i32 85, i32 86, i32 87, i32 88, i32 89, i32 90, i32 87, i32 91, i32 87, i32 87, i32 92, i32 93, i32 87, i32 87, i32 87, i32 92], align 4
define internal void @sample_out0(ptr %row0, ptr %scratch) {
entry:
  br label %chunk
chunk:
  %done = phi i64 [0, %entry], [%next, %chunk]
  %start = call i64 @llvm.umin.i64(i64 %done, i64 15)
  %there = getelementptr double, ptr %scratch, i64 %start
  %t1 = add i64 %start, 0
  %t2 = getelementptr i32, ptr @sample_out0_places, i64 %t1
  %t3 = load i32, ptr %t2, align 4
  %t4 = sext i32 %t3 to i64
  %t5 = getelementptr double, ptr %scratch, i64 %t4
  %t6 = load double, ptr %t5, align 8
  %t7 = getelementptr double, ptr %row0, i64 %start
  %t8 = getelementptr double, ptr %t7, i64 0
  store double %t6, ptr %t8, align 8
  %next = add i64 %done, 1
  %more = icmp slt i64 %next, 16
  br i1 %more, label %chunk, label %end
end:
  ret void
}

@sample_out1_places = internal constant [4 x i32] [i32 94, i32 95, i32 96, i32 97], align 4
define internal void @sample_out1(ptr %row0, ptr %scratch) {
entry:
  br label %chunk
chunk:
  %done = phi i64 [0, %entry], [%next, %chunk]
  %start = call i64 @llvm.umin.i64(i64 %done, i64 3)
  %there = getelementptr double, ptr %scratch, i64 %start
  %t1 = add i64 %start, 0
  %t2 = getelementptr i32, ptr @sample_out1_places, i64 %t1
  %t3 = load i32, ptr %t2, align 4
  %t4 = sext i32 %t3 to i64
  %t5 = getelementptr double, ptr %scratch, i64 %t4
  %t6 = load double, ptr %t5, align 8
  %t7 = getelementptr double, ptr %row0, i64 %start
  %t8 = getelementptr double, ptr %t7, i64 0
  store double %t6, ptr %t8, align 8
  %next = add i64 %done, 1
  %more = icmp slt i64 %next, 4
  br i1 %more, label %chunk, label %end
end:
  ret void
}

@sample_out2_places = internal constant [3 x i32] [i32 49, i32 50, i32 51], align 4
define internal void @sample_out2(ptr %row0, ptr %scratch) {
entry:
  br label %chunk
chunk:
  %done = phi i64 [0, %entry], [%next, %chunk]
  %start = call i64 @llvm.umin.i64(i64 %done, i64 2)
  %there = getelementptr double, ptr %scratch, i64 %start
  %t1 = add i64 %start, 0
  %t2 = getelementptr i32, ptr @sample_out2_places, i64 %t1
  %t3 = load i32, ptr %t2, align 4
  %t4 = sext i32 %t3 to i64
  %t5 = getelementptr double, ptr %scratch, i64 %t4
  %t6 = load double, ptr %t5, align 8
  %t7 = getelementptr double, ptr %row0, i64 %start
  %t8 = getelementptr double, ptr %t7, i64 0
  store double %t6, ptr %t8, align 8
  %next = add i64 %done, 1
  %more = icmp slt i64 %next, 3
  br i1 %more, label %chunk, label %end
end:
  ret void
}

@sample_out3_places = internal constant [9 x i32] [i32 52, i32 53, i32 54, i32 53, i32 55, i32 56, i32 54, i32 56, i32 57], align 4
define internal void @sample_out3(ptr %row0, ptr %scratch) {
entry:
  br label %chunk
chunk:
  %done = phi i64 [0, %entry], [%next, %chunk]
  %start = call i64 @llvm.umin.i64(i64 %done, i64 8)
  %there = getelementptr double, ptr %scratch, i64 %start
  %t1 = add i64 %start, 0
  %t2 = getelementptr i32, ptr @sample_out3_places, i64 %t1
  %t3 = load i32, ptr %t2, align 4
  %t4 = sext i32 %t3 to i64
  %t5 = getelementptr double, ptr %scratch, i64 %t4
  %t6 = load double, ptr %t5, align 8
  %t7 = getelementptr double, ptr %row0, i64 %start
  %t8 = getelementptr double, ptr %t7, i64 0
  store double %t6, ptr %t8, align 8
  %next = add i64 %done, 1
  %more = icmp slt i64 %next, 9
  br i1 %more, label %chunk, label %end
end:
  ret void
}

@sample_out4_places = internal constant [12 x i32] [i32 10, i32 13, i32 14, i32 18, i32 21, i32 22, i32 25, i32 28, i32 29, i32 32, i32 35, i32 36], align 4
define internal void @sample_out4(ptr %row0, ptr %scratch) {
entry:
  br label %chunk
chunk:
  %done = phi i64 [0, %entry], [%next, %chunk]
  %start = call i64 @llvm.umin.i64(i64 %done, i64 11)
  %there = getelementptr double, ptr %scratch, i64 %start
  %t1 = add i64 %start, 0
  %t2 = getelementptr i32, ptr @sample_out4_places, i64 %t1
  %t3 = load i32, ptr %t2, align 4
  %t4 = sext i32 %t3 to i64
  %t5 = getelementptr double, ptr %scratch, i64 %t4
  %t6 = load double, ptr %t5, align 8
  %t7 = getelementptr double, ptr %row0, i64 %start
  %t8 = getelementptr double, ptr %t7, i64 0
  store double %t6, ptr %t8, align 8
  %next = add i64 %done, 1
  %more = icmp slt i64 %next, 12
  br i1 %more, label %chunk, label %end
end:
  ret void
}

define internal void @sample(ptr noalias %a0, ptr noalias %a1, ptr noalias %a2, ptr noalias %a3, ptr noalias %a4, ptr noalias %a5, ptr noalias %a6) {
  %scratch_whole = call ptr @malloc(i64 848)
  %scratch_end = getelementptr i8, ptr %scratch_whole, i64 63
  %scratch = call ptr @llvm.ptrmask.p0.i64(ptr %scratch_end, i64 -64)
  call void @sample_in0(ptr %a0, ptr %scratch)
  %t1 = getelementptr double, ptr %scratch, i64 4
  call void @sample_in1(ptr %a1, ptr %t1)
  %t2 = getelementptr double, ptr %scratch, i64 87
  store double 0x0000000000000000, ptr %t2, align 8
  %t3 = load double, ptr %scratch, align 8
  %t4 = call double @llvm.fma.f64(double %t3, double 0x3FE45F306DC9C883, double 0x4338000000000000)
  %t5 = fsub double 0x4338000000000000, %t4
  %t6 = call double @llvm.fma.f64(double %t5, double 0x3FF921FB54442D18, double %t3)
  %t7 = call double @llvm.fma.f64(double %t5, double 0x3C91A62633145C07, double %t6)
  %t8 = call double @llvm.fma.f64(double %t5, double 0xB91F1976B7ED8FBC, double %t7)
  %t9 = call double @llvm.fabs.f64(double %t3)
  %t10 = fcmp ole double %t9, 0x4310000000000000
  %t11 = select i1 %t10, double %t8, double 0x7FF8000000000000
  %t12 = fmul double %t11, %t11
  %t13 = fmul double %t11, %t12
  %t14 = call double @llvm.fma.f64(double %t12, double 0x3DE5DFB39C3139B6, double 0xBE5AE5FDE7F12068)
  %t15 = call double @llvm.fma.f64(double %t12, double %t14, double 0x3EC71DE376B644CC)
  %t16 = call double @llvm.fma.f64(double %t12, double %t15, double 0xBF2A01A019E620EE)
  %t17 = call double @llvm.fma.f64(double %t12, double %t16, double 0x3F81111111110B23)
  %t18 = call double @llvm.fma.f64(double %t12, double %t17, double 0xBFC5555555555555)
  %t19 = call double @llvm.fma.f64(double %t13, double %t18, double %t11)
  %t20 = call double @llvm.fma.f64(double %t12, double 0xBFE0000000000000, double 0x3FF0000000000000)
  %t21 = fsub double 0x3FF0000000000000, %t20
  %t22 = call double @llvm.fma.f64(double %t12, double 0xBFE0000000000000, double %t21)
  %t23 = fmul double %t12, %t12
  %t24 = call double @llvm.fma.f64(double %t12, double 0xBDA906DBF4FDA044, double 0x3E21EEB52A201DA3)
  %t25 = call double @llvm.fma.f64(double %t12, double %t24, double 0xBE927E4FA0241F7C)
  %t26 = call double @llvm.fma.f64(double %t12, double %t25, double 0x3EFA01A019F3DDE1)
  %t27 = call double @llvm.fma.f64(double %t12, double %t26, double 0xBF56C16C16C1691F)
  %t28 = call double @llvm.fma.f64(double %t12, double %t27, double 0x3FA5555555555555)
  %t29 = call double @llvm.fma.f64(double %t23, double %t28, double %t22)
  %t30 = fadd double %t20, %t29
  %t31 = bitcast double %t4 to i64
  %t32 = and i64 %t31, 1
  %t33 = icmp ne i64 %t32, 0
  %t34 = bitcast double %t4 to i64
  %t35 = and i64 %t34, 2
  %t36 = icmp ne i64 %t35, 0
  %t37 = select i1 %t33, double %t30, double %t19
  %t38 = fneg double %t37
  %t39 = select i1 %t36, double %t38, double %t37
  %t40 = getelementptr double, ptr %scratch, i64 92
  store double %t39, ptr %t40, align 8
  %t41 = getelementptr double, ptr %scratch, i64 38
  store double 0x3FF0000000000000, ptr %t41, align 8
  %t42 = getelementptr double, ptr %scratch, i64 39
  store double 0x0000000000000000, ptr %t42, align 8
  %t43 = getelementptr double, ptr %scratch, i64 40
  store double 0x0000000000000000, ptr %t43, align 8
  %t44 = getelementptr double, ptr %scratch, i64 41
  store double 0x0000000000000000, ptr %t44, align 8
  %t45 = getelementptr double, ptr %scratch, i64 42
  store double 0x3FF0000000000000, ptr %t45, align 8
  %t46 = getelementptr double, ptr %scratch, i64 43
  store double 0x0000000000000000, ptr %t46, align 8
  %t47 = getelementptr double, ptr %scratch, i64 44
  store double 0x0000000000000000, ptr %t47, align 8
  call void @sample_scan0(ptr %scratch)
  %t48 = getelementptr double, ptr %scratch, i64 30
  %t49 = load double, ptr %t48, align 8
  %t50 = fmul double %t49, %t39
  %t51 = getelementptr double, ptr %scratch, i64 85
  store double %t50, ptr %t51, align 8
  %t52 = getelementptr double, ptr %scratch, i64 31
  %t53 = load double, ptr %t52, align 8
  %t54 = fmul double %t53, %t39
  %t55 = getelementptr double, ptr %scratch, i64 86
  store double %t54, ptr %t55, align 8
  %t56 = getelementptr double, ptr %scratch, i64 32
  %t57 = load double, ptr %t56, align 8
  %t58 = fmul double %t57, %t39
  %t59 = getelementptr double, ptr %scratch, i64 88
  store double %t58, ptr %t59, align 8
  %t60 = getelementptr double, ptr %scratch, i64 33
  %t61 = load double, ptr %t60, align 8
  %t62 = fmul double %t61, %t39
  %t63 = getelementptr double, ptr %scratch, i64 89
  store double %t62, ptr %t63, align 8
  %t64 = getelementptr double, ptr %scratch, i64 34
  %t65 = load double, ptr %t64, align 8
  %t66 = fmul double %t65, %t39
  %t67 = getelementptr double, ptr %scratch, i64 90
  store double %t66, ptr %t67, align 8
  %t68 = getelementptr double, ptr %scratch, i64 35
  %t69 = load double, ptr %t68, align 8
  %t70 = fmul double %t69, %t39
  %t71 = getelementptr double, ptr %scratch, i64 91
  store double %t70, ptr %t71, align 8
  %t72 = getelementptr double, ptr %scratch, i64 36
  %t73 = load double, ptr %t72, align 8
  %t74 = fmul double %t73, %t39
  %t75 = getelementptr double, ptr %scratch, i64 93
  store double %t74, ptr %t75, align 8
  %t76 = getelementptr double, ptr %scratch, i64 76
  store double 0x0000000000000000, ptr %t76, align 8
  %t77 = getelementptr double, ptr %scratch, i64 77
  store double 0x0000000000000000, ptr %t77, align 8
  %t78 = getelementptr double, ptr %scratch, i64 78
  store double 0x0000000000000000, ptr %t78, align 8
  %t79 = getelementptr double, ptr %scratch, i64 79
  store double 0x0000000000000000, ptr %t79, align 8
  %t80 = getelementptr double, ptr %scratch, i64 80
  store double 0x0000000000000000, ptr %t80, align 8
  %t81 = getelementptr double, ptr %scratch, i64 81
  store double 0x0000000000000000, ptr %t81, align 8
  %t82 = getelementptr double, ptr %scratch, i64 82
  store double 0x0000000000000000, ptr %t82, align 8
  %t83 = getelementptr double, ptr %scratch, i64 83
  store double 0x0000000000000000, ptr %t83, align 8
  %t84 = getelementptr double, ptr %scratch, i64 84
  store double 0x0000000000000000, ptr %t84, align 8
  call void @sample_scan1(ptr %scratch)
  %t85 = getelementptr double, ptr %scratch, i64 4
  %t86 = load double, ptr %t85, align 8
  %t87 = getelementptr double, ptr %scratch, i64 45
  %t88 = load double, ptr %t87, align 8
  %t89 = fadd double %t86, %t88
  %t90 = getelementptr double, ptr %scratch, i64 94
  store double %t89, ptr %t90, align 8
  %t91 = getelementptr double, ptr %scratch, i64 5
  %t92 = load double, ptr %t91, align 8
  %t93 = getelementptr double, ptr %scratch, i64 46
  %t94 = load double, ptr %t93, align 8
  %t95 = fadd double %t92, %t94
  %t96 = getelementptr double, ptr %scratch, i64 95
  store double %t95, ptr %t96, align 8
  %t97 = getelementptr double, ptr %scratch, i64 6
  %t98 = load double, ptr %t97, align 8
  %t99 = getelementptr double, ptr %scratch, i64 47
  %t100 = load double, ptr %t99, align 8
  %t101 = fadd double %t98, %t100
  %t102 = getelementptr double, ptr %scratch, i64 96
  store double %t101, ptr %t102, align 8
  %t103 = getelementptr double, ptr %scratch, i64 7
  %t104 = load double, ptr %t103, align 8
  %t105 = getelementptr double, ptr %scratch, i64 48
  %t106 = load double, ptr %t105, align 8
  %t107 = fadd double %t104, %t106
  %t108 = getelementptr double, ptr %scratch, i64 97
  store double %t107, ptr %t108, align 8
  call void @sample_out0(ptr %a2, ptr %scratch)
  call void @sample_out1(ptr %a3, ptr %scratch)
  call void @sample_out2(ptr %a4, ptr %scratch)
  call void @sample_out3(ptr %a5, ptr %scratch)
  call void @sample_out4(ptr %a6, ptr %scratch)
  call void @free(ptr %scratch_whole)
  ret void
}

@samples_scan0_records = internal constant [28 x i32] [i32 0, i32 0, i32 38, i32 8, i32 15, i32 38, i32 0, i32 1, i32 0, i32 8, i32 16, i32 23, i32 8, i32 1, i32 1, i32 3, i32 16, i32 23, i32 30, i32 16, i32 2, i32 0, i32 3, i32 16, i32 30, i32 37, i32 16, i32 3], align 4
@samples_scan0_table0 = internal constant [6 x double] [double 0xBFC0E8CFE9BD45CC, double 0x3FE47E57A468B06D, double 0x3FBADABBEC84D4F0, double 0xBFE3F1DD4920F4FB, double 0x3FA528ADC38B0CE3, double 0xC00299A9BC1A2383], align 64
@samples_scan0_table1 = internal constant [6 x double] [double 0xBFE1243418E643ED, double 0x3FD7245F95CED1E6, double 0x3FF4DD2F26BD103C, double 0x3FEE4E7CBC69BCA3, double 0xBFE684FFC1DAAF28, double 0xBFF43F2A959CC8BB], align 64
define internal void @samples_scan0_step0(ptr %scratch, ptr %record) {
  %t1 = getelementptr i32, ptr %record, i64 2
  %t2 = load i32, ptr %t1, align 4
  %t3 = sext i32 %t2 to i64
  %t4 = getelementptr <2 x double>, ptr %scratch, i64 %t3
  %t5 = load <2 x double>, ptr %t4, align 8
  %t6 = getelementptr <2 x double>, ptr %t4, i64 1
  %t7 = load <2 x double>, ptr %t6, align 8
  %t8 = getelementptr <2 x double>, ptr %t4, i64 2
  %t9 = load <2 x double>, ptr %t8, align 8
  %t10 = getelementptr i32, ptr %record, i64 1
  %t11 = load i32, ptr %t10, align 4
  %t12 = sext i32 %t11 to i64
  %t13 = getelementptr double, ptr @samples_scan0_table0, i64 %t12
  %t14 = getelementptr double, ptr %t13, i64 0
  %t15 = load double, ptr %t14, align 8
  %t16 = insertelement <2 x double> poison, double %t15, i32 0
  %t17 = shufflevector <2 x double> %t16, <2 x double> poison, <2 x i32> zeroinitializer
  %t18 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t5, <2 x double> %t17, <2 x double> %t9)
  %t19 = getelementptr double, ptr %t13, i64 1
  %t20 = load double, ptr %t19, align 8
  %t21 = insertelement <2 x double> poison, double %t20, i32 0
  %t22 = shufflevector <2 x double> %t21, <2 x double> poison, <2 x i32> zeroinitializer
  %t23 = getelementptr i32, ptr %record, i64 6
  %t24 = load i32, ptr %t23, align 4
  %t25 = sext i32 %t24 to i64
  %t26 = getelementptr <2 x double>, ptr %scratch, i64 %t25
  %t27 = load <2 x double>, ptr %t26, align 8
  %t28 = fadd <2 x double> %t27, %t22
  %t29 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t7, <2 x double> %t28, <2 x double> %t18)
  %t30 = getelementptr <2 x double>, ptr %t4, i64 3
  %t31 = load <2 x double>, ptr %t30, align 8
  %t32 = getelementptr <2 x double>, ptr %t4, i64 4
  %t33 = load <2 x double>, ptr %t32, align 8
  %t34 = getelementptr <2 x double>, ptr %t4, i64 5
  %t35 = load <2 x double>, ptr %t34, align 8
  %t36 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t31, <2 x double> %t17, <2 x double> %t35)
  %t37 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t33, <2 x double> %t28, <2 x double> %t36)
  %t38 = getelementptr double, ptr %t13, i64 2
  %t39 = load double, ptr %t38, align 8
  %t40 = insertelement <2 x double> poison, double %t39, i32 0
  %t41 = shufflevector <2 x double> %t40, <2 x double> poison, <2 x i32> zeroinitializer
  %t42 = getelementptr <2 x double>, ptr %t4, i64 6
  %t43 = load <2 x double>, ptr %t42, align 8
  %t44 = fadd <2 x double> %t43, %t41
  %t45 = getelementptr i32, ptr %record, i64 3
  %t46 = load i32, ptr %t45, align 4
  %t47 = sext i32 %t46 to i64
  %t48 = getelementptr <2 x double>, ptr %scratch, i64 %t47
  store <2 x double> %t5, ptr %t48, align 8
  %t49 = getelementptr <2 x double>, ptr %t48, i64 1
  store <2 x double> %t7, ptr %t49, align 8
  %t50 = getelementptr <2 x double>, ptr %t48, i64 2
  store <2 x double> %t29, ptr %t50, align 8
  %t51 = getelementptr <2 x double>, ptr %t48, i64 3
  store <2 x double> %t31, ptr %t51, align 8
  %t52 = getelementptr <2 x double>, ptr %t48, i64 4
  store <2 x double> %t33, ptr %t52, align 8
  %t53 = getelementptr <2 x double>, ptr %t48, i64 5
  store <2 x double> %t37, ptr %t53, align 8
  %t54 = getelementptr <2 x double>, ptr %t48, i64 6
  store <2 x double> %t44, ptr %t54, align 8
  %t55 = getelementptr i32, ptr %record, i64 4
  %t56 = load i32, ptr %t55, align 4
  %t57 = sext i32 %t56 to i64
  %t58 = getelementptr <2 x double>, ptr %scratch, i64 %t57
  store <2 x double> %t28, ptr %t58, align 8
  ret void
}

define internal void @samples_scan0_step1(ptr %scratch, ptr %record) {
  %t1 = getelementptr i32, ptr %record, i64 6
  %t2 = load i32, ptr %t1, align 4
  %t3 = sext i32 %t2 to i64
  %t4 = getelementptr <2 x double>, ptr %scratch, i64 %t3
  %t5 = load <2 x double>, ptr %t4, align 8
  %t6 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t5, <2 x double> splat (double 0x3FE45F306DC9C883), <2 x double> splat (double 0x4338000000000000))
  %t7 = fsub <2 x double> splat (double 0x4338000000000000), %t6
  %t8 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t7, <2 x double> splat (double 0x3FF921FB54442D18), <2 x double> %t5)
  %t9 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t7, <2 x double> splat (double 0x3C91A62633145C07), <2 x double> %t8)
  %t10 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t7, <2 x double> splat (double 0xB91F1976B7ED8FBC), <2 x double> %t9)
  %t11 = call <2 x double> @llvm.fabs.v2f64(<2 x double> %t5)
  %t12 = fcmp ole <2 x double> %t11, splat (double 0x4310000000000000)
  %t13 = select <2 x i1> %t12, <2 x double> %t10, <2 x double> splat (double 0x7FF8000000000000)
  %t14 = fmul <2 x double> %t13, %t13
  %t15 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t14, <2 x double> splat (double 0xBDA906DBF4FDA044), <2 x double> splat (double 0x3E21EEB52A201DA3))
  %t16 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t14, <2 x double> %t15, <2 x double> splat (double 0xBE927E4FA0241F7C))
  %t17 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t14, <2 x double> %t16, <2 x double> splat (double 0x3EFA01A019F3DDE1))
  %t18 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t14, <2 x double> %t17, <2 x double> splat (double 0xBF56C16C16C1691F))
  %t19 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t14, <2 x double> %t18, <2 x double> splat (double 0x3FA5555555555555))
  %t20 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t14, <2 x double> splat (double 0xBFE0000000000000), <2 x double> splat (double 0x3FF0000000000000))
  %t21 = fsub <2 x double> splat (double 0x3FF0000000000000), %t20
  %t22 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t14, <2 x double> splat (double 0xBFE0000000000000), <2 x double> %t21)
  %t23 = fmul <2 x double> %t14, %t14
  %t24 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t23, <2 x double> %t19, <2 x double> %t22)
  %t25 = fadd <2 x double> %t20, %t24
  %t26 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t14, <2 x double> splat (double 0x3DE5DFB39C3139B6), <2 x double> splat (double 0xBE5AE5FDE7F12068))
  %t27 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t14, <2 x double> %t26, <2 x double> splat (double 0x3EC71DE376B644CC))
  %t28 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t14, <2 x double> %t27, <2 x double> splat (double 0xBF2A01A019E620EE))
  %t29 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t14, <2 x double> %t28, <2 x double> splat (double 0x3F81111111110B23))
  %t30 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t14, <2 x double> %t29, <2 x double> splat (double 0xBFC5555555555555))
  %t31 = fmul <2 x double> %t13, %t14
  %t32 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t31, <2 x double> %t30, <2 x double> %t13)
  %t33 = bitcast <2 x double> %t6 to <2 x i64>
  %t34 = and <2 x i64> %t33, splat (i64 1)
  %t35 = icmp ne <2 x i64> %t34, splat (i64 0)
  %t36 = select <2 x i1> %t35, <2 x double> %t25, <2 x double> %t32
  %t37 = fneg <2 x double> %t36
  %t38 = bitcast <2 x double> %t6 to <2 x i64>
  %t39 = and <2 x i64> %t38, splat (i64 2)
  %t40 = icmp ne <2 x i64> %t39, splat (i64 0)
  %t41 = select <2 x i1> %t40, <2 x double> %t37, <2 x double> %t36
  %t42 = getelementptr i32, ptr %record, i64 2
  %t43 = load i32, ptr %t42, align 4
  %t44 = sext i32 %t43 to i64
  %t45 = getelementptr <2 x double>, ptr %scratch, i64 %t44
  %t46 = getelementptr <2 x double>, ptr %t45, i64 1
  %t47 = load <2 x double>, ptr %t46, align 8
  %t48 = fmul <2 x double> %t47, %t41
  %t49 = fneg <2 x double> %t32
  %t50 = select <2 x i1> %t35, <2 x double> %t49, <2 x double> %t25
  %t51 = fneg <2 x double> %t50
  %t52 = select <2 x i1> %t40, <2 x double> %t51, <2 x double> %t50
  %t53 = load <2 x double>, ptr %t45, align 8
  %t54 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t53, <2 x double> %t52, <2 x double> %t48)
  %t55 = fmul <2 x double> %t47, %t52
  %t56 = fneg <2 x double> %t41
  %t57 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t53, <2 x double> %t56, <2 x double> %t55)
  %t58 = getelementptr <2 x double>, ptr %t45, i64 2
  %t59 = load <2 x double>, ptr %t58, align 8
  %t60 = getelementptr i32, ptr %record, i64 1
  %t61 = load i32, ptr %t60, align 4
  %t62 = sext i32 %t61 to i64
  %t63 = getelementptr double, ptr @samples_scan0_table1, i64 %t62
  %t64 = getelementptr double, ptr %t63, i64 0
  %t65 = load double, ptr %t64, align 8
  %t66 = insertelement <2 x double> poison, double %t65, i32 0
  %t67 = shufflevector <2 x double> %t66, <2 x double> poison, <2 x i32> zeroinitializer
  %t68 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t53, <2 x double> %t67, <2 x double> %t59)
  %t69 = getelementptr double, ptr %t63, i64 1
  %t70 = load double, ptr %t69, align 8
  %t71 = insertelement <2 x double> poison, double %t70, i32 0
  %t72 = shufflevector <2 x double> %t71, <2 x double> poison, <2 x i32> zeroinitializer
  %t73 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t47, <2 x double> %t72, <2 x double> %t68)
  %t74 = getelementptr <2 x double>, ptr %t45, i64 4
  %t75 = load <2 x double>, ptr %t74, align 8
  %t76 = fmul <2 x double> %t75, %t41
  %t77 = getelementptr <2 x double>, ptr %t45, i64 3
  %t78 = load <2 x double>, ptr %t77, align 8
  %t79 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t78, <2 x double> %t52, <2 x double> %t76)
  %t80 = fmul <2 x double> %t75, %t52
  %t81 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t78, <2 x double> %t56, <2 x double> %t80)
  %t82 = getelementptr <2 x double>, ptr %t45, i64 5
  %t83 = load <2 x double>, ptr %t82, align 8
  %t84 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t78, <2 x double> %t67, <2 x double> %t83)
  %t85 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t75, <2 x double> %t72, <2 x double> %t84)
  %t86 = getelementptr double, ptr %t63, i64 2
  %t87 = load double, ptr %t86, align 8
  %t88 = insertelement <2 x double> poison, double %t87, i32 0
  %t89 = shufflevector <2 x double> %t88, <2 x double> poison, <2 x i32> zeroinitializer
  %t90 = getelementptr <2 x double>, ptr %t45, i64 6
  %t91 = load <2 x double>, ptr %t90, align 8
  %t92 = fadd <2 x double> %t91, %t89
  %t93 = getelementptr i32, ptr %record, i64 3
  %t94 = load i32, ptr %t93, align 4
  %t95 = sext i32 %t94 to i64
  %t96 = getelementptr <2 x double>, ptr %scratch, i64 %t95
  store <2 x double> %t54, ptr %t96, align 8
  %t97 = getelementptr <2 x double>, ptr %t96, i64 1
  store <2 x double> %t57, ptr %t97, align 8
  %t98 = getelementptr <2 x double>, ptr %t96, i64 2
  store <2 x double> %t73, ptr %t98, align 8
  %t99 = getelementptr <2 x double>, ptr %t96, i64 3
  store <2 x double> %t79, ptr %t99, align 8
  %t100 = getelementptr <2 x double>, ptr %t96, i64 4
  store <2 x double> %t81, ptr %t100, align 8
  %t101 = getelementptr <2 x double>, ptr %t96, i64 5
  store <2 x double> %t85, ptr %t101, align 8
  %t102 = getelementptr <2 x double>, ptr %t96, i64 6
  store <2 x double> %t92, ptr %t102, align 8
  ret void
}

define internal void @samples_scan0(ptr %scratch) {
entry:
  br label %items
items:
  %item = phi i64 [0, %entry], [%next, %after]
  %position = mul i64 %item, 7
  %record = getelementptr i32, ptr @samples_scan0_records, i64 %position
  %kind = load i32, ptr %record, align 4
  switch i32 %kind, label %after [i32 0, label %kind0 i32 1, label %kind1]
kind0:
  call void @samples_scan0_step0(ptr %scratch, ptr %record)
  br label %after
kind1:
  call void @samples_scan0_step1(ptr %scratch, ptr %record)
  br label %after
after:
  %next = add i64 %item, 1
  %again = icmp slt i64 %next, 4
  br i1 %again, label %items, label %end
end:
  ret void
}

@samples_scan1_records = internal constant [32 x i32] [i32 0, i32 0, i32 67, i32 49, i32 45, i32 76, i32 15, i32 4, i32 1, i32 0, i32 58, i32 67, i32 46, i32 76, i32 5, i32 0, i32 1, i32 4, i32 76, i32 58, i32 47, i32 58, i32 6, i32 0, i32 0, i32 4, i32 76, i32 58, i32 48, i32 76, i32 37, i32 7], align 4
@samples_scan1_table0 = internal constant [8 x double] [double 0xBFC0E8CFE9BD45CC, double 0x3FBADABBEC84D4F0, double 0x3FE47E57A468B06D, double 0x3FF089910738DE79, double 0xBFE3F1DD4920F4FB, double 0xC00299A9BC1A2383, double 0x3FA528ADC38B0CE3, double 0x3FFDCF94B3A16DB8], align 64
@samples_scan1_table1 = internal constant [8 x double] [double 0xBFE1243418E643ED, double 0x3FD7245F95CED1E6, double 0x3FF4DD2F26BD103C, double 0x3FFBACAB307C3CFD, double 0x3FEE4E7CBC69BCA3, double 0xBFE684FFC1DAAF28, double 0xBFF43F2A959CC8BB, double 0x3FF2CF7C449D8B92], align 64
define internal void @samples_scan1_step0(ptr %scratch, ptr %record) {
  %t1 = getelementptr i32, ptr %record, i64 7
  %t2 = load i32, ptr %t1, align 4
  %t3 = sext i32 %t2 to i64
  %t4 = getelementptr <2 x double>, ptr %scratch, i64 %t3
  %t5 = load <2 x double>, ptr %t4, align 8
  %t6 = getelementptr i32, ptr %record, i64 1
  %t7 = load i32, ptr %t6, align 4
  %t8 = sext i32 %t7 to i64
  %t9 = getelementptr double, ptr @samples_scan1_table0, i64 %t8
  %t10 = getelementptr double, ptr %t9, i64 3
  %t11 = load double, ptr %t10, align 8
  %t12 = insertelement <2 x double> poison, double %t11, i32 0
  %t13 = shufflevector <2 x double> %t12, <2 x double> poison, <2 x i32> zeroinitializer
  %t14 = fmul <2 x double> %t13, %t5
  %t15 = getelementptr i32, ptr %record, i64 2
  %t16 = load i32, ptr %t15, align 4
  %t17 = sext i32 %t16 to i64
  %t18 = getelementptr <2 x double>, ptr %scratch, i64 %t17
  %t19 = load <2 x double>, ptr %t18, align 8
  %t20 = getelementptr double, ptr %t9, i64 0
  %t21 = load double, ptr %t20, align 8
  %t22 = insertelement <2 x double> poison, double %t21, i32 0
  %t23 = shufflevector <2 x double> %t22, <2 x double> poison, <2 x i32> zeroinitializer
  %t24 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t23, <2 x double> %t14, <2 x double> %t19)
  %t25 = getelementptr <2 x double>, ptr %t18, i64 1
  %t26 = load <2 x double>, ptr %t25, align 8
  %t27 = getelementptr i32, ptr %record, i64 6
  %t28 = load i32, ptr %t27, align 4
  %t29 = sext i32 %t28 to i64
  %t30 = getelementptr <2 x double>, ptr %scratch, i64 %t29
  %t31 = load <2 x double>, ptr %t30, align 8
  %t32 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t31, <2 x double> %t14, <2 x double> %t26)
  %t33 = getelementptr <2 x double>, ptr %t18, i64 2
  %t34 = load <2 x double>, ptr %t33, align 8
  %t35 = getelementptr double, ptr %t9, i64 1
  %t36 = load double, ptr %t35, align 8
  %t37 = insertelement <2 x double> poison, double %t36, i32 0
  %t38 = shufflevector <2 x double> %t37, <2 x double> poison, <2 x i32> zeroinitializer
  %t39 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t38, <2 x double> %t14, <2 x double> %t34)
  %t40 = fmul <2 x double> %t23, %t23
  %t41 = getelementptr <2 x double>, ptr %t18, i64 3
  %t42 = load <2 x double>, ptr %t41, align 8
  %t43 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t13, <2 x double> %t40, <2 x double> %t42)
  %t44 = fmul <2 x double> %t43, splat (double 0x3FECCCCCCCCCCCCD)
  %t45 = getelementptr double, ptr %t9, i64 2
  %t46 = load double, ptr %t45, align 8
  %t47 = insertelement <2 x double> poison, double %t46, i32 0
  %t48 = shufflevector <2 x double> %t47, <2 x double> poison, <2 x i32> zeroinitializer
  %t49 = fmul <2 x double> %t23, %t48
  %t50 = getelementptr <2 x double>, ptr %t18, i64 4
  %t51 = load <2 x double>, ptr %t50, align 8
  %t52 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t13, <2 x double> %t49, <2 x double> %t51)
  %t53 = fmul <2 x double> %t52, splat (double 0x3FECCCCCCCCCCCCD)
  %t54 = fmul <2 x double> %t23, %t38
  %t55 = getelementptr <2 x double>, ptr %t18, i64 5
  %t56 = load <2 x double>, ptr %t55, align 8
  %t57 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t13, <2 x double> %t54, <2 x double> %t56)
  %t58 = fmul <2 x double> %t57, splat (double 0x3FECCCCCCCCCCCCD)
  %t59 = fmul <2 x double> %t48, %t48
  %t60 = getelementptr <2 x double>, ptr %t18, i64 6
  %t61 = load <2 x double>, ptr %t60, align 8
  %t62 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t13, <2 x double> %t59, <2 x double> %t61)
  %t63 = fmul <2 x double> %t62, splat (double 0x3FECCCCCCCCCCCCD)
  %t64 = fmul <2 x double> %t38, %t48
  %t65 = getelementptr <2 x double>, ptr %t18, i64 7
  %t66 = load <2 x double>, ptr %t65, align 8
  %t67 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t13, <2 x double> %t64, <2 x double> %t66)
  %t68 = fmul <2 x double> %t67, splat (double 0x3FECCCCCCCCCCCCD)
  %t69 = fmul <2 x double> %t38, %t38
  %t70 = getelementptr <2 x double>, ptr %t18, i64 8
  %t71 = load <2 x double>, ptr %t70, align 8
  %t72 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t13, <2 x double> %t69, <2 x double> %t71)
  %t73 = fmul <2 x double> %t72, splat (double 0x3FECCCCCCCCCCCCD)
  %t74 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t39, <2 x double> %t39, <2 x double> %t52)
  %t75 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t24, <2 x double> %t24, <2 x double> %t74)
  %t76 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t32, <2 x double> %t32, <2 x double> %t75)
  %t77 = getelementptr i32, ptr %record, i64 5
  %t78 = load i32, ptr %t77, align 4
  %t79 = sext i32 %t78 to i64
  %t80 = getelementptr <2 x double>, ptr %scratch, i64 %t79
  %t81 = load <2 x double>, ptr %t80, align 8
  %t82 = fadd <2 x double> %t81, %t24
  %t83 = getelementptr i32, ptr %record, i64 3
  %t84 = load i32, ptr %t83, align 4
  %t85 = sext i32 %t84 to i64
  %t86 = getelementptr <2 x double>, ptr %scratch, i64 %t85
  store <2 x double> %t82, ptr %t86, align 8
  %t87 = getelementptr <2 x double>, ptr %t80, i64 1
  %t88 = load <2 x double>, ptr %t87, align 8
  %t89 = fadd <2 x double> %t88, %t32
  %t90 = getelementptr <2 x double>, ptr %t86, i64 1
  store <2 x double> %t89, ptr %t90, align 8
  %t91 = getelementptr <2 x double>, ptr %t80, i64 2
  %t92 = load <2 x double>, ptr %t91, align 8
  %t93 = fadd <2 x double> %t92, %t39
  %t94 = getelementptr <2 x double>, ptr %t86, i64 2
  store <2 x double> %t93, ptr %t94, align 8
  %t95 = getelementptr <2 x double>, ptr %t80, i64 3
  %t96 = load <2 x double>, ptr %t95, align 8
  %t97 = fadd <2 x double> %t96, %t44
  %t98 = getelementptr <2 x double>, ptr %t86, i64 3
  store <2 x double> %t97, ptr %t98, align 8
  %t99 = getelementptr <2 x double>, ptr %t80, i64 4
  %t100 = load <2 x double>, ptr %t99, align 8
  %t101 = fadd <2 x double> %t100, %t53
  %t102 = getelementptr <2 x double>, ptr %t86, i64 4
  store <2 x double> %t101, ptr %t102, align 8
  %t103 = getelementptr <2 x double>, ptr %t80, i64 5
  %t104 = load <2 x double>, ptr %t103, align 8
  %t105 = fadd <2 x double> %t104, %t58
  %t106 = getelementptr <2 x double>, ptr %t86, i64 5
  store <2 x double> %t105, ptr %t106, align 8
  %t107 = getelementptr <2 x double>, ptr %t80, i64 6
  %t108 = load <2 x double>, ptr %t107, align 8
  %t109 = fadd <2 x double> %t108, %t63
  %t110 = getelementptr <2 x double>, ptr %t86, i64 6
  store <2 x double> %t109, ptr %t110, align 8
  %t111 = getelementptr <2 x double>, ptr %t80, i64 7
  %t112 = load <2 x double>, ptr %t111, align 8
  %t113 = fadd <2 x double> %t112, %t68
  %t114 = getelementptr <2 x double>, ptr %t86, i64 7
  store <2 x double> %t113, ptr %t114, align 8
  %t115 = getelementptr <2 x double>, ptr %t80, i64 8
  %t116 = load <2 x double>, ptr %t115, align 8
  %t117 = fadd <2 x double> %t116, %t73
  %t118 = getelementptr <2 x double>, ptr %t86, i64 8
  store <2 x double> %t117, ptr %t118, align 8
  %t119 = getelementptr i32, ptr %record, i64 4
  %t120 = load i32, ptr %t119, align 4
  %t121 = sext i32 %t120 to i64
  %t122 = getelementptr <2 x double>, ptr %scratch, i64 %t121
  store <2 x double> %t76, ptr %t122, align 8
  ret void
}

define internal void @samples_scan1_step1(ptr %scratch, ptr %record) {
  %t1 = getelementptr i32, ptr %record, i64 6
  %t2 = load i32, ptr %t1, align 4
  %t3 = sext i32 %t2 to i64
  %t4 = getelementptr <2 x double>, ptr %scratch, i64 %t3
  %t5 = load <2 x double>, ptr %t4, align 8
  %t6 = getelementptr i32, ptr %record, i64 1
  %t7 = load i32, ptr %t6, align 4
  %t8 = sext i32 %t7 to i64
  %t9 = getelementptr double, ptr @samples_scan1_table1, i64 %t8
  %t10 = getelementptr double, ptr %t9, i64 3
  %t11 = load double, ptr %t10, align 8
  %t12 = insertelement <2 x double> poison, double %t11, i32 0
  %t13 = shufflevector <2 x double> %t12, <2 x double> poison, <2 x i32> zeroinitializer
  %t14 = fmul <2 x double> %t13, %t5
  %t15 = getelementptr i32, ptr %record, i64 2
  %t16 = load i32, ptr %t15, align 4
  %t17 = sext i32 %t16 to i64
  %t18 = getelementptr <2 x double>, ptr %scratch, i64 %t17
  %t19 = load <2 x double>, ptr %t18, align 8
  %t20 = getelementptr double, ptr %t9, i64 0
  %t21 = load double, ptr %t20, align 8
  %t22 = insertelement <2 x double> poison, double %t21, i32 0
  %t23 = shufflevector <2 x double> %t22, <2 x double> poison, <2 x i32> zeroinitializer
  %t24 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t23, <2 x double> %t14, <2 x double> %t19)
  %t25 = getelementptr <2 x double>, ptr %t18, i64 1
  %t26 = load <2 x double>, ptr %t25, align 8
  %t27 = getelementptr double, ptr %t9, i64 1
  %t28 = load double, ptr %t27, align 8
  %t29 = insertelement <2 x double> poison, double %t28, i32 0
  %t30 = shufflevector <2 x double> %t29, <2 x double> poison, <2 x i32> zeroinitializer
  %t31 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t30, <2 x double> %t14, <2 x double> %t26)
  %t32 = getelementptr <2 x double>, ptr %t18, i64 2
  %t33 = load <2 x double>, ptr %t32, align 8
  %t34 = getelementptr double, ptr %t9, i64 2
  %t35 = load double, ptr %t34, align 8
  %t36 = insertelement <2 x double> poison, double %t35, i32 0
  %t37 = shufflevector <2 x double> %t36, <2 x double> poison, <2 x i32> zeroinitializer
  %t38 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t37, <2 x double> %t14, <2 x double> %t33)
  %t39 = fmul <2 x double> %t23, %t23
  %t40 = getelementptr <2 x double>, ptr %t18, i64 3
  %t41 = load <2 x double>, ptr %t40, align 8
  %t42 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t13, <2 x double> %t39, <2 x double> %t41)
  %t43 = fmul <2 x double> %t42, splat (double 0x3FECCCCCCCCCCCCD)
  %t44 = fmul <2 x double> %t23, %t30
  %t45 = getelementptr <2 x double>, ptr %t18, i64 4
  %t46 = load <2 x double>, ptr %t45, align 8
  %t47 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t13, <2 x double> %t44, <2 x double> %t46)
  %t48 = fmul <2 x double> %t47, splat (double 0x3FECCCCCCCCCCCCD)
  %t49 = fmul <2 x double> %t23, %t37
  %t50 = getelementptr <2 x double>, ptr %t18, i64 5
  %t51 = load <2 x double>, ptr %t50, align 8
  %t52 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t13, <2 x double> %t49, <2 x double> %t51)
  %t53 = fmul <2 x double> %t52, splat (double 0x3FECCCCCCCCCCCCD)
  %t54 = fmul <2 x double> %t30, %t30
  %t55 = getelementptr <2 x double>, ptr %t18, i64 6
  %t56 = load <2 x double>, ptr %t55, align 8
  %t57 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t13, <2 x double> %t54, <2 x double> %t56)
  %t58 = fmul <2 x double> %t57, splat (double 0x3FECCCCCCCCCCCCD)
  %t59 = fmul <2 x double> %t30, %t37
  %t60 = getelementptr <2 x double>, ptr %t18, i64 7
  %t61 = load <2 x double>, ptr %t60, align 8
  %t62 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t13, <2 x double> %t59, <2 x double> %t61)
  %t63 = fmul <2 x double> %t62, splat (double 0x3FECCCCCCCCCCCCD)
  %t64 = fmul <2 x double> %t37, %t37
  %t65 = getelementptr <2 x double>, ptr %t18, i64 8
  %t66 = load <2 x double>, ptr %t65, align 8
  %t67 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t13, <2 x double> %t64, <2 x double> %t66)
  %t68 = fmul <2 x double> %t67, splat (double 0x3FECCCCCCCCCCCCD)
  %t69 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t38, <2 x double> %t38, <2 x double> %t47)
  %t70 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t24, <2 x double> %t24, <2 x double> %t69)
  %t71 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t31, <2 x double> %t31, <2 x double> %t70)
  %t72 = getelementptr i32, ptr %record, i64 5
  %t73 = load i32, ptr %t72, align 4
  %t74 = sext i32 %t73 to i64
  %t75 = getelementptr <2 x double>, ptr %scratch, i64 %t74
  %t76 = load <2 x double>, ptr %t75, align 8
  %t77 = fadd <2 x double> %t76, %t24
  %t78 = getelementptr i32, ptr %record, i64 3
  %t79 = load i32, ptr %t78, align 4
  %t80 = sext i32 %t79 to i64
  %t81 = getelementptr <2 x double>, ptr %scratch, i64 %t80
  store <2 x double> %t77, ptr %t81, align 8
  %t82 = getelementptr <2 x double>, ptr %t75, i64 1
  %t83 = load <2 x double>, ptr %t82, align 8
  %t84 = fadd <2 x double> %t83, %t31
  %t85 = getelementptr <2 x double>, ptr %t81, i64 1
  store <2 x double> %t84, ptr %t85, align 8
  %t86 = getelementptr <2 x double>, ptr %t75, i64 2
  %t87 = load <2 x double>, ptr %t86, align 8
  %t88 = fadd <2 x double> %t87, %t38
  %t89 = getelementptr <2 x double>, ptr %t81, i64 2
  store <2 x double> %t88, ptr %t89, align 8
  %t90 = getelementptr <2 x double>, ptr %t75, i64 3
  %t91 = load <2 x double>, ptr %t90, align 8
  %t92 = fadd <2 x double> %t91, %t43
  %t93 = getelementptr <2 x double>, ptr %t81, i64 3
  store <2 x double> %t92, ptr %t93, align 8
  %t94 = getelementptr <2 x double>, ptr %t75, i64 4
  %t95 = load <2 x double>, ptr %t94, align 8
  %t96 = fadd <2 x double> %t95, %t48
  %t97 = getelementptr <2 x double>, ptr %t81, i64 4
  store <2 x double> %t96, ptr %t97, align 8
  %t98 = getelementptr <2 x double>, ptr %t75, i64 5
  %t99 = load <2 x double>, ptr %t98, align 8
  %t100 = fadd <2 x double> %t99, %t53
  %t101 = getelementptr <2 x double>, ptr %t81, i64 5
  store <2 x double> %t100, ptr %t101, align 8
  %t102 = getelementptr <2 x double>, ptr %t75, i64 6
  %t103 = load <2 x double>, ptr %t102, align 8
  %t104 = fadd <2 x double> %t103, %t58
  %t105 = getelementptr <2 x double>, ptr %t81, i64 6
  store <2 x double> %t104, ptr %t105, align 8
  %t106 = getelementptr <2 x double>, ptr %t75, i64 7
  %t107 = load <2 x double>, ptr %t106, align 8
  %t108 = fadd <2 x double> %t107, %t63
  %t109 = getelementptr <2 x double>, ptr %t81, i64 7
  store <2 x double> %t108, ptr %t109, align 8
  %t110 = getelementptr <2 x double>, ptr %t75, i64 8
  %t111 = load <2 x double>, ptr %t110, align 8
  %t112 = fadd <2 x double> %t111, %t68
  %t113 = getelementptr <2 x double>, ptr %t81, i64 8
  store <2 x double> %t112, ptr %t113, align 8
  %t114 = getelementptr i32, ptr %record, i64 4
  %t115 = load i32, ptr %t114, align 4
  %t116 = sext i32 %t115 to i64
  %t117 = getelementptr <2 x double>, ptr %scratch, i64 %t116
  store <2 x double> %t71, ptr %t117, align 8
  ret void
}

define internal void @samples_scan1(ptr %scratch) {
entry:
  br label %items
items:
  %item = phi i64 [3, %entry], [%next, %after]
  %position = mul i64 %item, 8
  %record = getelementptr i32, ptr @samples_scan1_records, i64 %position
  %kind = load i32, ptr %record, align 4
  switch i32 %kind, label %after [i32 0, label %kind0 i32 1, label %kind1]
kind0:
  call void @samples_scan1_step0(ptr %scratch, ptr %record)
  br label %after
kind1:
  call void @samples_scan1_step1(ptr %scratch, ptr %record)
  br label %after
after:
  %next = add i64 %item, -1
  %again = icmp sgt i64 %next, -1
  br i1 %again, label %items, label %end
end:
  ret void
}

define internal void @samples_in0(ptr %row0, ptr %row1, ptr %scratch) {
entry:
  br label %chunk
chunk:
  %done = phi i64 [0, %entry], [%next, %chunk]
  %start = call i64 @llvm.umin.i64(i64 %done, i64 2)
  %there = getelementptr <2 x double>, ptr %scratch, i64 %start
  %t1 = getelementptr double, ptr %row0, i64 %start
  %t2 = getelementptr double, ptr %row1, i64 %start
  %t3 = getelementptr double, ptr %t1, i64 0
  %t4 = load <2 x double>, ptr %t3, align 8
  %t5 = getelementptr double, ptr %t2, i64 0
  %t6 = load <2 x double>, ptr %t5, align 8
  %t7 = shufflevector <2 x double> %t4, <2 x double> %t6, <2 x i32> <i32 0, i32 2>
  %t8 = shufflevector <2 x double> %t4, <2 x double> %t6, <2 x i32> <i32 1, i32 3>
  store <2 x double> %t7, ptr %there, align 8
  %t9 = getelementptr <2 x double>, ptr %there, i64 1
  store <2 x double> %t8, ptr %t9, align 8
  %next = add i64 %done, 2
  %more = icmp slt i64 %next, 4
  br i1 %more, label %chunk, label %end
end:
  ret void
}

define internal void @samples_in1(ptr %row0, ptr %row1, ptr %scratch) {
entry:
  br label %chunk
chunk:
  %done = phi i64 [0, %entry], [%next, %chunk]
  %start = call i64 @llvm.umin.i64(i64 %done, i64 2)
  %there = getelementptr <2 x double>, ptr %scratch, i64 %start
  %t1 = getelementptr double, ptr %row0, i64 %start
  %t2 = getelementptr double, ptr %row1, i64 %start
  %t3 = getelementptr double, ptr %t1, i64 0
  %t4 = load <2 x double>, ptr %t3, align 8
  %t5 = getelementptr double, ptr %t2, i64 0
  %t6 = load <2 x double>, ptr %t5, align 8
  %t7 = shufflevector <2 x double> %t4, <2 x double> %t6, <2 x i32> <i32 0, i32 2>
  %t8 = shufflevector <2 x double> %t4, <2 x double> %t6, <2 x i32> <i32 1, i32 3>
  store <2 x double> %t7, ptr %there, align 8
  %t9 = getelementptr <2 x double>, ptr %there, i64 1
  store <2 x double> %t8, ptr %t9, align 8
  %next = add i64 %done, 2
  %more = icmp slt i64 %next, 4
  br i1 %more, label %chunk, label %end
end:
  ret void
}

@samples_out0_places = internal constant [16 x i32] [i32 85, i32 86, i32 87, i32 88, i32 89, i32 90, i32 87, i32 91, i32 87, i32 87, i32 92, i32 93, i32 87, i32 87, i32 87, i32 92], align 4
define internal void @samples_out0(ptr %row0, ptr %row1, ptr %scratch) {
entry:
  br label %chunk
chunk:
  %done = phi i64 [0, %entry], [%next, %chunk]
  %start = call i64 @llvm.umin.i64(i64 %done, i64 14)
  %there = getelementptr <2 x double>, ptr %scratch, i64 %start
  %t1 = add i64 %start, 0
  %t2 = getelementptr i32, ptr @samples_out0_places, i64 %t1
  %t3 = load i32, ptr %t2, align 4
  %t4 = sext i32 %t3 to i64
  %t5 = getelementptr <2 x double>, ptr %scratch, i64 %t4
  %t6 = load <2 x double>, ptr %t5, align 8
  %t7 = add i64 %start, 1
  %t8 = getelementptr i32, ptr @samples_out0_places, i64 %t7
  %t9 = load i32, ptr %t8, align 4
  %t10 = sext i32 %t9 to i64
  %t11 = getelementptr <2 x double>, ptr %scratch, i64 %t10
  %t12 = load <2 x double>, ptr %t11, align 8
  %t13 = getelementptr double, ptr %row0, i64 %start
  %t14 = getelementptr double, ptr %row1, i64 %start
  %t15 = shufflevector <2 x double> %t6, <2 x double> %t12, <2 x i32> <i32 0, i32 2>
  %t16 = shufflevector <2 x double> %t6, <2 x double> %t12, <2 x i32> <i32 1, i32 3>
  %t17 = getelementptr double, ptr %t13, i64 0
  store <2 x double> %t15, ptr %t17, align 8
  %t18 = getelementptr double, ptr %t14, i64 0
  store <2 x double> %t16, ptr %t18, align 8
  %next = add i64 %done, 2
  %more = icmp slt i64 %next, 16
  br i1 %more, label %chunk, label %end
end:
  ret void
}

@samples_out1_places = internal constant [4 x i32] [i32 94, i32 95, i32 96, i32 97], align 4
define internal void @samples_out1(ptr %row0, ptr %row1, ptr %scratch) {
entry:
  br label %chunk
chunk:
  %done = phi i64 [0, %entry], [%next, %chunk]
  %start = call i64 @llvm.umin.i64(i64 %done, i64 2)
  %there = getelementptr <2 x double>, ptr %scratch, i64 %start
  %t1 = add i64 %start, 0
  %t2 = getelementptr i32, ptr @samples_out1_places, i64 %t1
  %t3 = load i32, ptr %t2, align 4
  %t4 = sext i32 %t3 to i64
  %t5 = getelementptr <2 x double>, ptr %scratch, i64 %t4
  %t6 = load <2 x double>, ptr %t5, align 8
  %t7 = add i64 %start, 1
  %t8 = getelementptr i32, ptr @samples_out1_places, i64 %t7
  %t9 = load i32, ptr %t8, align 4
  %t10 = sext i32 %t9 to i64
  %t11 = getelementptr <2 x double>, ptr %scratch, i64 %t10
  %t12 = load <2 x double>, ptr %t11, align 8
  %t13 = getelementptr double, ptr %row0, i64 %start
  %t14 = getelementptr double, ptr %row1, i64 %start
  %t15 = shufflevector <2 x double> %t6, <2 x double> %t12, <2 x i32> <i32 0, i32 2>
  %t16 = shufflevector <2 x double> %t6, <2 x double> %t12, <2 x i32> <i32 1, i32 3>
  %t17 = getelementptr double, ptr %t13, i64 0
  store <2 x double> %t15, ptr %t17, align 8
  %t18 = getelementptr double, ptr %t14, i64 0
  store <2 x double> %t16, ptr %t18, align 8
  %next = add i64 %done, 2
  %more = icmp slt i64 %next, 4
  br i1 %more, label %chunk, label %end
end:
  ret void
}

@samples_out2_places = internal constant [3 x i32] [i32 49, i32 50, i32 51], align 4
define internal void @samples_out2(ptr %row0, ptr %row1, ptr %scratch) {
entry:
  br label %chunk
chunk:
  %done = phi i64 [0, %entry], [%next, %chunk]
  %start = call i64 @llvm.umin.i64(i64 %done, i64 1)
  %there = getelementptr <2 x double>, ptr %scratch, i64 %start
  %t1 = add i64 %start, 0
  %t2 = getelementptr i32, ptr @samples_out2_places, i64 %t1
  %t3 = load i32, ptr %t2, align 4
  %t4 = sext i32 %t3 to i64
  %t5 = getelementptr <2 x double>, ptr %scratch, i64 %t4
  %t6 = load <2 x double>, ptr %t5, align 8
  %t7 = add i64 %start, 1
  %t8 = getelementptr i32, ptr @samples_out2_places, i64 %t7
  %t9 = load i32, ptr %t8, align 4
  %t10 = sext i32 %t9 to i64
  %t11 = getelementptr <2 x double>, ptr %scratch, i64 %t10
  %t12 = load <2 x double>, ptr %t11, align 8
  %t13 = getelementptr double, ptr %row0, i64 %start
  %t14 = getelementptr double, ptr %row1, i64 %start
  %t15 = shufflevector <2 x double> %t6, <2 x double> %t12, <2 x i32> <i32 0, i32 2>
  %t16 = shufflevector <2 x double> %t6, <2 x double> %t12, <2 x i32> <i32 1, i32 3>
  %t17 = getelementptr double, ptr %t13, i64 0
  store <2 x double> %t15, ptr %t17, align 8
  %t18 = getelementptr double, ptr %t14, i64 0
  store <2 x double> %t16, ptr %t18, align 8
  %next = add i64 %done, 2
  %more = icmp slt i64 %next, 3
  br i1 %more, label %chunk, label %end
end:
  ret void
}

@samples_out3_places = internal constant [9 x i32] [i32 52, i32 53, i32 54, i32 53, i32 55, i32 56, i32 54, i32 56, i32 57], align 4
define internal void @samples_out3(ptr %row0, ptr %row1, ptr %scratch) {
entry:
  br label %chunk
chunk:
  %done = phi i64 [0, %entry], [%next, %chunk]
  %start = call i64 @llvm.umin.i64(i64 %done, i64 7)
  %there = getelementptr <2 x double>, ptr %scratch, i64 %start
  %t1 = add i64 %start, 0
  %t2 = getelementptr i32, ptr @samples_out3_places, i64 %t1
  %t3 = load i32, ptr %t2, align 4
  %t4 = sext i32 %t3 to i64
  %t5 = getelementptr <2 x double>, ptr %scratch, i64 %t4
  %t6 = load <2 x double>, ptr %t5, align 8
  %t7 = add i64 %start, 1
  %t8 = getelementptr i32, ptr @samples_out3_places, i64 %t7
  %t9 = load i32, ptr %t8, align 4
  %t10 = sext i32 %t9 to i64
  %t11 = getelementptr <2 x double>, ptr %scratch, i64 %t10
  %t12 = load <2 x double>, ptr %t11, align 8
  %t13 = getelementptr double, ptr %row0, i64 %start
  %t14 = getelementptr double, ptr %row1, i64 %start
  %t15 = shufflevector <2 x double> %t6, <2 x double> %t12, <2 x i32> <i32 0, i32 2>
  %t16 = shufflevector <2 x double> %t6, <2 x double> %t12, <2 x i32> <i32 1, i32 3>
  %t17 = getelementptr double, ptr %t13, i64 0
  store <2 x double> %t15, ptr %t17, align 8
  %t18 = getelementptr double, ptr %t14, i64 0
  store <2 x double> %t16, ptr %t18, align 8
  %next = add i64 %done, 2
  %more = icmp slt i64 %next, 9
  br i1 %more, label %chunk, label %end
end:
  ret void
}

@samples_out4_places = internal constant [12 x i32] [i32 10, i32 13, i32 14, i32 18, i32 21, i32 22, i32 25, i32 28, i32 29, i32 32, i32 35, i32 36], align 4
define internal void @samples_out4(ptr %row0, ptr %row1, ptr %scratch) {
entry:
  br label %chunk
chunk:
  %done = phi i64 [0, %entry], [%next, %chunk]
  %start = call i64 @llvm.umin.i64(i64 %done, i64 10)
  %there = getelementptr <2 x double>, ptr %scratch, i64 %start
  %t1 = add i64 %start, 0
  %t2 = getelementptr i32, ptr @samples_out4_places, i64 %t1
  %t3 = load i32, ptr %t2, align 4
  %t4 = sext i32 %t3 to i64
  %t5 = getelementptr <2 x double>, ptr %scratch, i64 %t4
  %t6 = load <2 x double>, ptr %t5, align 8
  %t7 = add i64 %start, 1
  %t8 = getelementptr i32, ptr @samples_out4_places, i64 %t7
  %t9 = load i32, ptr %t8, align 4
  %t10 = sext i32 %t9 to i64
  %t11 = getelementptr <2 x double>, ptr %scratch, i64 %t10
  %t12 = load <2 x double>, ptr %t11, align 8
  %t13 = getelementptr double, ptr %row0, i64 %start
  %t14 = getelementptr double, ptr %row1, i64 %start
  %t15 = shufflevector <2 x double> %t6, <2 x double> %t12, <2 x i32> <i32 0, i32 2>
  %t16 = shufflevector <2 x double> %t6, <2 x double> %t12, <2 x i32> <i32 1, i32 3>
  %t17 = getelementptr double, ptr %t13, i64 0
  store <2 x double> %t15, ptr %t17, align 8
  %t18 = getelementptr double, ptr %t14, i64 0
  store <2 x double> %t16, ptr %t18, align 8
  %next = add i64 %done, 2
  %more = icmp slt i64 %next, 12
  br i1 %more, label %chunk, label %end
end:
  ret void
}

define internal void @samples(ptr noalias %a0, i64 %s0, ptr noalias %a1, i64 %s1, ptr noalias %a2, i64 %s2, ptr noalias %a3, i64 %s3, ptr noalias %a4, i64 %s4, ptr noalias %a5, i64 %s5, ptr noalias %a6, i64 %s6, i64 %count) {
  %scratch_whole = call ptr @malloc(i64 1632)
  %scratch_end = getelementptr i8, ptr %scratch_whole, i64 63
  %scratch = call ptr @llvm.ptrmask.p0.i64(ptr %scratch_end, i64 -64)
  %t1 = sub i64 %count, 1
  %t2 = call i64 @llvm.umin.i64(i64 1, i64 %t1)
  %t3 = mul i64 %t2, %s0
  %t4 = getelementptr i8, ptr %a0, i64 %t3
  %t5 = mul i64 %t2, %s1
  %t6 = getelementptr i8, ptr %a1, i64 %t5
  %t7 = mul i64 %t2, %s2
  %t8 = getelementptr i8, ptr %a2, i64 %t7
  %t9 = mul i64 %t2, %s3
  %t10 = getelementptr i8, ptr %a3, i64 %t9
  %t11 = mul i64 %t2, %s4
  %t12 = getelementptr i8, ptr %a4, i64 %t11
  %t13 = mul i64 %t2, %s5
  %t14 = getelementptr i8, ptr %a5, i64 %t13
  %t15 = mul i64 %t2, %s6
  %t16 = getelementptr i8, ptr %a6, i64 %t15
  call void @samples_in0(ptr %a0, ptr %t4, ptr %scratch)
  %t17 = getelementptr <2 x double>, ptr %scratch, i64 4
  call void @samples_in1(ptr %a1, ptr %t6, ptr %t17)
  %t18 = getelementptr <2 x double>, ptr %scratch, i64 87
  store <2 x double> splat (double 0x0000000000000000), ptr %t18, align 8
  %t19 = load <2 x double>, ptr %scratch, align 8
  %t20 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t19, <2 x double> splat (double 0x3FE45F306DC9C883), <2 x double> splat (double 0x4338000000000000))
  %t21 = fsub <2 x double> splat (double 0x4338000000000000), %t20
  %t22 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t21, <2 x double> splat (double 0x3FF921FB54442D18), <2 x double> %t19)
  %t23 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t21, <2 x double> splat (double 0x3C91A62633145C07), <2 x double> %t22)
  %t24 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t21, <2 x double> splat (double 0xB91F1976B7ED8FBC), <2 x double> %t23)
  %t25 = call <2 x double> @llvm.fabs.v2f64(<2 x double> %t19)
  %t26 = fcmp ole <2 x double> %t25, splat (double 0x4310000000000000)
  %t27 = select <2 x i1> %t26, <2 x double> %t24, <2 x double> splat (double 0x7FF8000000000000)
  %t28 = fmul <2 x double> %t27, %t27
  %t29 = fmul <2 x double> %t27, %t28
  %t30 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t28, <2 x double> splat (double 0x3DE5DFB39C3139B6), <2 x double> splat (double 0xBE5AE5FDE7F12068))
  %t31 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t28, <2 x double> %t30, <2 x double> splat (double 0x3EC71DE376B644CC))
  %t32 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t28, <2 x double> %t31, <2 x double> splat (double 0xBF2A01A019E620EE))
  %t33 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t28, <2 x double> %t32, <2 x double> splat (double 0x3F81111111110B23))
  %t34 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t28, <2 x double> %t33, <2 x double> splat (double 0xBFC5555555555555))
  %t35 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t29, <2 x double> %t34, <2 x double> %t27)
  %t36 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t28, <2 x double> splat (double 0xBFE0000000000000), <2 x double> splat (double 0x3FF0000000000000))
  %t37 = fsub <2 x double> splat (double 0x3FF0000000000000), %t36
  %t38 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t28, <2 x double> splat (double 0xBFE0000000000000), <2 x double> %t37)
  %t39 = fmul <2 x double> %t28, %t28
  %t40 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t28, <2 x double> splat (double 0xBDA906DBF4FDA044), <2 x double> splat (double 0x3E21EEB52A201DA3))
  %t41 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t28, <2 x double> %t40, <2 x double> splat (double 0xBE927E4FA0241F7C))
  %t42 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t28, <2 x double> %t41, <2 x double> splat (double 0x3EFA01A019F3DDE1))
  %t43 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t28, <2 x double> %t42, <2 x double> splat (double 0xBF56C16C16C1691F))
  %t44 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t28, <2 x double> %t43, <2 x double> splat (double 0x3FA5555555555555))
  %t45 = call <2 x double> @llvm.fma.v2f64(<2 x double> %t39, <2 x double> %t44, <2 x double> %t38)
  %t46 = fadd <2 x double> %t36, %t45
  %t47 = bitcast <2 x double> %t20 to <2 x i64>
  %t48 = and <2 x i64> %t47, splat (i64 1)
  %t49 = icmp ne <2 x i64> %t48, splat (i64 0)
  %t50 = bitcast <2 x double> %t20 to <2 x i64>
  %t51 = and <2 x i64> %t50, splat (i64 2)
  %t52 = icmp ne <2 x i64> %t51, splat (i64 0)
  %t53 = select <2 x i1> %t49, <2 x double> %t46, <2 x double> %t35
  %t54 = fneg <2 x double> %t53
  %t55 = select <2 x i1> %t52, <2 x double> %t54, <2 x double> %t53
  %t56 = getelementptr <2 x double>, ptr %scratch, i64 92
  store <2 x double> %t55, ptr %t56, align 8
  %t57 = getelementptr <2 x double>, ptr %scratch, i64 38
  store <2 x double> splat (double 0x3FF0000000000000), ptr %t57, align 8
  %t58 = getelementptr <2 x double>, ptr %scratch, i64 39
  store <2 x double> splat (double 0x0000000000000000), ptr %t58, align 8
  %t59 = getelementptr <2 x double>, ptr %scratch, i64 40
  store <2 x double> splat (double 0x0000000000000000), ptr %t59, align 8
  %t60 = getelementptr <2 x double>, ptr %scratch, i64 41
  store <2 x double> splat (double 0x0000000000000000), ptr %t60, align 8
  %t61 = getelementptr <2 x double>, ptr %scratch, i64 42
  store <2 x double> splat (double 0x3FF0000000000000), ptr %t61, align 8
  %t62 = getelementptr <2 x double>, ptr %scratch, i64 43
  store <2 x double> splat (double 0x0000000000000000), ptr %t62, align 8
  %t63 = getelementptr <2 x double>, ptr %scratch, i64 44
  store <2 x double> splat (double 0x0000000000000000), ptr %t63, align 8
  call void @samples_scan0(ptr %scratch)
  %t64 = getelementptr <2 x double>, ptr %scratch, i64 30
  %t65 = load <2 x double>, ptr %t64, align 8
  %t66 = fmul <2 x double> %t65, %t55
  %t67 = getelementptr <2 x double>, ptr %scratch, i64 85
  store <2 x double> %t66, ptr %t67, align 8
  %t68 = getelementptr <2 x double>, ptr %scratch, i64 31
  %t69 = load <2 x double>, ptr %t68, align 8
  %t70 = fmul <2 x double> %t69, %t55
  %t71 = getelementptr <2 x double>, ptr %scratch, i64 86
  store <2 x double> %t70, ptr %t71, align 8
  %t72 = getelementptr <2 x double>, ptr %scratch, i64 32
  %t73 = load <2 x double>, ptr %t72, align 8
  %t74 = fmul <2 x double> %t73, %t55
  %t75 = getelementptr <2 x double>, ptr %scratch, i64 88
  store <2 x double> %t74, ptr %t75, align 8
  %t76 = getelementptr <2 x double>, ptr %scratch, i64 33
  %t77 = load <2 x double>, ptr %t76, align 8
  %t78 = fmul <2 x double> %t77, %t55
  %t79 = getelementptr <2 x double>, ptr %scratch, i64 89
  store <2 x double> %t78, ptr %t79, align 8
  %t80 = getelementptr <2 x double>, ptr %scratch, i64 34
  %t81 = load <2 x double>, ptr %t80, align 8
  %t82 = fmul <2 x double> %t81, %t55
  %t83 = getelementptr <2 x double>, ptr %scratch, i64 90
  store <2 x double> %t82, ptr %t83, align 8
  %t84 = getelementptr <2 x double>, ptr %scratch, i64 35
  %t85 = load <2 x double>, ptr %t84, align 8
  %t86 = fmul <2 x double> %t85, %t55
  %t87 = getelementptr <2 x double>, ptr %scratch, i64 91
  store <2 x double> %t86, ptr %t87, align 8
  %t88 = getelementptr <2 x double>, ptr %scratch, i64 36
  %t89 = load <2 x double>, ptr %t88, align 8
  %t90 = fmul <2 x double> %t89, %t55
  %t91 = getelementptr <2 x double>, ptr %scratch, i64 93
  store <2 x double> %t90, ptr %t91, align 8
  %t92 = getelementptr <2 x double>, ptr %scratch, i64 76
  store <2 x double> splat (double 0x0000000000000000), ptr %t92, align 8
  %t93 = getelementptr <2 x double>, ptr %scratch, i64 77
  store <2 x double> splat (double 0x0000000000000000), ptr %t93, align 8
  %t94 = getelementptr <2 x double>, ptr %scratch, i64 78
  store <2 x double> splat (double 0x0000000000000000), ptr %t94, align 8
  %t95 = getelementptr <2 x double>, ptr %scratch, i64 79
  store <2 x double> splat (double 0x0000000000000000), ptr %t95, align 8
  %t96 = getelementptr <2 x double>, ptr %scratch, i64 80
  store <2 x double> splat (double 0x0000000000000000), ptr %t96, align 8
  %t97 = getelementptr <2 x double>, ptr %scratch, i64 81
  store <2 x double> splat (double 0x0000000000000000), ptr %t97, align 8
  %t98 = getelementptr <2 x double>, ptr %scratch, i64 82
  store <2 x double> splat (double 0x0000000000000000), ptr %t98, align 8
  %t99 = getelementptr <2 x double>, ptr %scratch, i64 83
  store <2 x double> splat (double 0x0000000000000000), ptr %t99, align 8
  %t100 = getelementptr <2 x double>, ptr %scratch, i64 84
  store <2 x double> splat (double 0x0000000000000000), ptr %t100, align 8
  call void @samples_scan1(ptr %scratch)
  %t101 = getelementptr <2 x double>, ptr %scratch, i64 4
  %t102 = load <2 x double>, ptr %t101, align 8
  %t103 = getelementptr <2 x double>, ptr %scratch, i64 45
  %t104 = load <2 x double>, ptr %t103, align 8
  %t105 = fadd <2 x double> %t102, %t104
  %t106 = getelementptr <2 x double>, ptr %scratch, i64 94
  store <2 x double> %t105, ptr %t106, align 8
  %t107 = getelementptr <2 x double>, ptr %scratch, i64 5
  %t108 = load <2 x double>, ptr %t107, align 8
  %t109 = getelementptr <2 x double>, ptr %scratch, i64 46
  %t110 = load <2 x double>, ptr %t109, align 8
  %t111 = fadd <2 x double> %t108, %t110
  %t112 = getelementptr <2 x double>, ptr %scratch, i64 95
  store <2 x double> %t111, ptr %t112, align 8
  %t113 = getelementptr <2 x double>, ptr %scratch, i64 6
  %t114 = load <2 x double>, ptr %t113, align 8
  %t115 = getelementptr <2 x double>, ptr %scratch, i64 47
  %t116 = load <2 x double>, ptr %t115, align 8
  %t117 = fadd <2 x double> %t114, %t116
  %t118 = getelementptr <2 x double>, ptr %scratch, i64 96
  store <2 x double> %t117, ptr %t118, align 8
  %t119 = getelementptr <2 x double>, ptr %scratch, i64 7
  %t120 = load <2 x double>, ptr %t119, align 8
  %t121 = getelementptr <2 x double>, ptr %scratch, i64 48
  %t122 = load <2 x double>, ptr %t121, align 8
  %t123 = fadd <2 x double> %t120, %t122
  %t124 = getelementptr <2 x double>, ptr %scratch, i64 97
  store <2 x double> %t123, ptr %t124, align 8
  call void @samples_out0(ptr %a2, ptr %t8, ptr %scratch)
  call void @samples_out1(ptr %a3, ptr %t10, ptr %scratch)
  call void @samples_out2(ptr %a4, ptr %t12, ptr %scratch)
  call void @samples_out3(ptr %a5, ptr %t14, ptr %scratch)
  call void @samples_out4(ptr %a6, ptr %t16, ptr %scratch)
  call void @free(ptr %scratch_whole)
  ret void
}

define internal void @all_samples(ptr %args, ptr %dimensions, ptr %steps, ptr %data) {
entry:
  %b0 = alloca i8, i64 32, align 64
  %b1 = alloca i8, i64 32, align 64
  %b2 = alloca i8, i64 128, align 64
  %b3 = alloca i8, i64 32, align 64
  %b4 = alloca i8, i64 24, align 64
  %b5 = alloca i8, i64 72, align 64
  %b6 = alloca i8, i64 96, align 64
  %samples = load i64, ptr %dimensions, align 8
  %pp0 = getelementptr ptr, ptr %args, i64 0
  %p0 = load ptr, ptr %pp0, align 8
  %sp0 = getelementptr i64, ptr %steps, i64 0
  %s0 = load i64, ptr %sp0, align 8
  %core0 = getelementptr i64, ptr %steps, i64 7
  %cp0_0 = getelementptr i64, ptr %core0, i64 0
  %c0_0 = load i64, ptr %cp0_0, align 8
  %e0_0 = icmp eq i64 %c0_0, 8
  %plain0_0 = and i1 true, %e0_0
  %pp1 = getelementptr ptr, ptr %args, i64 1
  %p1 = load ptr, ptr %pp1, align 8
  %sp1 = getelementptr i64, ptr %steps, i64 1
  %s1 = load i64, ptr %sp1, align 8
  %core1 = getelementptr i64, ptr %steps, i64 8
  %cp1_0 = getelementptr i64, ptr %core1, i64 0
  %c1_0 = load i64, ptr %cp1_0, align 8
  %e1_0 = icmp eq i64 %c1_0, 8
  %plain1_0 = and i1 %plain0_0, %e1_0
  %pp2 = getelementptr ptr, ptr %args, i64 2
  %p2 = load ptr, ptr %pp2, align 8
  %sp2 = getelementptr i64, ptr %steps, i64 2
  %s2 = load i64, ptr %sp2, align 8
  %core2 = getelementptr i64, ptr %steps, i64 9
  %cp2_0 = getelementptr i64, ptr %core2, i64 0
  %c2_0 = load i64, ptr %cp2_0, align 8
  %e2_0 = icmp eq i64 %c2_0, 32
  %plain2_0 = and i1 %plain1_0, %e2_0
  %cp2_1 = getelementptr i64, ptr %core2, i64 1
  %c2_1 = load i64, ptr %cp2_1, align 8
  %e2_1 = icmp eq i64 %c2_1, 8
  %plain2_1 = and i1 %plain2_0, %e2_1
  %pp3 = getelementptr ptr, ptr %args, i64 3
  %p3 = load ptr, ptr %pp3, align 8
  %sp3 = getelementptr i64, ptr %steps, i64 3
  %s3 = load i64, ptr %sp3, align 8
  %core3 = getelementptr i64, ptr %steps, i64 11
  %cp3_0 = getelementptr i64, ptr %core3, i64 0
  %c3_0 = load i64, ptr %cp3_0, align 8
  %e3_0 = icmp eq i64 %c3_0, 8
  %plain3_0 = and i1 %plain2_1, %e3_0
  %pp4 = getelementptr ptr, ptr %args, i64 4
  %p4 = load ptr, ptr %pp4, align 8
  %sp4 = getelementptr i64, ptr %steps, i64 4
  %s4 = load i64, ptr %sp4, align 8
  %core4 = getelementptr i64, ptr %steps, i64 12
  %cp4_0 = getelementptr i64, ptr %core4, i64 0
  %c4_0 = load i64, ptr %cp4_0, align 8
  %e4_0 = icmp eq i64 %c4_0, 8
  %plain4_0 = and i1 %plain3_0, %e4_0
  %pp5 = getelementptr ptr, ptr %args, i64 5
  %p5 = load ptr, ptr %pp5, align 8
  %sp5 = getelementptr i64, ptr %steps, i64 5
  %s5 = load i64, ptr %sp5, align 8
  %core5 = getelementptr i64, ptr %steps, i64 13
  %cp5_0 = getelementptr i64, ptr %core5, i64 0
  %c5_0 = load i64, ptr %cp5_0, align 8
  %e5_0 = icmp eq i64 %c5_0, 24
  %plain5_0 = and i1 %plain4_0, %e5_0
  %cp5_1 = getelementptr i64, ptr %core5, i64 1
  %c5_1 = load i64, ptr %cp5_1, align 8
  %e5_1 = icmp eq i64 %c5_1, 8
  %plain5_1 = and i1 %plain5_0, %e5_1
  %pp6 = getelementptr ptr, ptr %args, i64 6
  %p6 = load ptr, ptr %pp6, align 8
  %sp6 = getelementptr i64, ptr %steps, i64 6
  %s6 = load i64, ptr %sp6, align 8
  %core6 = getelementptr i64, ptr %steps, i64 15
  %cp6_0 = getelementptr i64, ptr %core6, i64 0
  %c6_0 = load i64, ptr %cp6_0, align 8
  %e6_0 = icmp eq i64 %c6_0, 24
  %plain6_0 = and i1 %plain5_1, %e6_0
  %cp6_1 = getelementptr i64, ptr %core6, i64 1
  %c6_1 = load i64, ptr %cp6_1, align 8
  %e6_1 = icmp eq i64 %c6_1, 8
  %plain6_1 = and i1 %plain6_0, %e6_1
  %plain = and i1 %plain6_1, true
  br i1 %plain, label %contiguous, label %strided_check
contiguous:
  %one = icmp eq i64 %samples, 1
  br i1 %one, label %single, label %many_check
single:
  call void @sample(ptr %p0, ptr %p1, ptr %p2, ptr %p3, ptr %p4, ptr %p5, ptr %p6)
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
  %o3 = mul i64 %done, %s3
  %q3 = getelementptr i8, ptr %p3, i64 %o3
  %o4 = mul i64 %done, %s4
  %q4 = getelementptr i8, ptr %p4, i64 %o4
  %o5 = mul i64 %done, %s5
  %q5 = getelementptr i8, ptr %p5, i64 %o5
  %o6 = mul i64 %done, %s6
  %q6 = getelementptr i8, ptr %p6, i64 %o6
  call void @samples(ptr %q0, i64 %s0, ptr %q1, i64 %s1, ptr %q2, i64 %s2, ptr %q3, i64 %s3, ptr %q4, i64 %s4, ptr %q5, i64 %s5, ptr %q6, i64 %s6, i64 %left)
  br label %went
went:
  %next = add i64 %done, 2
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
  %so3 = mul i64 %sample, %s3
  %sq3 = getelementptr i8, ptr %p3, i64 %so3
  %so4 = mul i64 %sample, %s4
  %sq4 = getelementptr i8, ptr %p4, i64 %so4
  %so5 = mul i64 %sample, %s5
  %sq5 = getelementptr i8, ptr %p5, i64 %so5
  %so6 = mul i64 %sample, %s6
  %sq6 = getelementptr i8, ptr %p6, i64 %so6
  call void @copy0(ptr %b0, ptr %sq0, ptr %core0)
  call void @copy1(ptr %b1, ptr %sq1, ptr %core1)
  call void @sample(ptr %b0, ptr %b1, ptr %b2, ptr %b3, ptr %b4, ptr %b5, ptr %b6)
  call void @copy2(ptr %b2, ptr %sq2, ptr %core2)
  call void @copy3(ptr %b3, ptr %sq3, ptr %core3)
  call void @copy4(ptr %b4, ptr %sq4, ptr %core4)
  call void @copy5(ptr %b5, ptr %sq5, ptr %core5)
  call void @copy6(ptr %b6, ptr %sq6, ptr %core6)
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
  %m0 = urem i64 %d0, 4
  %cp0 = getelementptr i64, ptr %strides, i64 0
  %c0 = load i64, ptr %cp0, align 8
  %t0 = mul i64 %m0, %c0
  %u0 = add i64 0, %t0
  %near = getelementptr i64, ptr %buffer, i64 %i
  %far = getelementptr i8, ptr %place, i64 %u0
  %value = load i64, ptr %far, align 8
  store i64 %value, ptr %near, align 8
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 4
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
  %m0 = urem i64 %d0, 4
  %cp0 = getelementptr i64, ptr %strides, i64 0
  %c0 = load i64, ptr %cp0, align 8
  %t0 = mul i64 %m0, %c0
  %u0 = add i64 0, %t0
  %near = getelementptr i64, ptr %buffer, i64 %i
  %far = getelementptr i8, ptr %place, i64 %u0
  %value = load i64, ptr %far, align 8
  store i64 %value, ptr %near, align 8
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 4
  br i1 %more, label %entries, label %end
end:
  ret void
}
define internal void @copy2(ptr %buffer, ptr %place, ptr %strides) {
entry:
  br i1 true, label %entries, label %end
entries:
  %i = phi i64 [0, %entry], [%next, %entries]
  %d0 = udiv i64 %i, 4
  %m0 = urem i64 %d0, 4
  %cp0 = getelementptr i64, ptr %strides, i64 0
  %c0 = load i64, ptr %cp0, align 8
  %t0 = mul i64 %m0, %c0
  %u0 = add i64 0, %t0
  %d1 = udiv i64 %i, 1
  %m1 = urem i64 %d1, 4
  %cp1 = getelementptr i64, ptr %strides, i64 1
  %c1 = load i64, ptr %cp1, align 8
  %t1 = mul i64 %m1, %c1
  %u1 = add i64 %u0, %t1
  %near = getelementptr i64, ptr %buffer, i64 %i
  %far = getelementptr i8, ptr %place, i64 %u1
  %value = load i64, ptr %near, align 8
  store i64 %value, ptr %far, align 8
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 16
  br i1 %more, label %entries, label %end
end:
  ret void
}
define internal void @copy3(ptr %buffer, ptr %place, ptr %strides) {
entry:
  br i1 true, label %entries, label %end
entries:
  %i = phi i64 [0, %entry], [%next, %entries]
  %d0 = udiv i64 %i, 1
  %m0 = urem i64 %d0, 4
  %cp0 = getelementptr i64, ptr %strides, i64 0
  %c0 = load i64, ptr %cp0, align 8
  %t0 = mul i64 %m0, %c0
  %u0 = add i64 0, %t0
  %near = getelementptr i64, ptr %buffer, i64 %i
  %far = getelementptr i8, ptr %place, i64 %u0
  %value = load i64, ptr %near, align 8
  store i64 %value, ptr %far, align 8
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 4
  br i1 %more, label %entries, label %end
end:
  ret void
}
define internal void @copy4(ptr %buffer, ptr %place, ptr %strides) {
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
  %value = load i64, ptr %near, align 8
  store i64 %value, ptr %far, align 8
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 3
  br i1 %more, label %entries, label %end
end:
  ret void
}
define internal void @copy5(ptr %buffer, ptr %place, ptr %strides) {
entry:
  br i1 true, label %entries, label %end
entries:
  %i = phi i64 [0, %entry], [%next, %entries]
  %d0 = udiv i64 %i, 3
  %m0 = urem i64 %d0, 3
  %cp0 = getelementptr i64, ptr %strides, i64 0
  %c0 = load i64, ptr %cp0, align 8
  %t0 = mul i64 %m0, %c0
  %u0 = add i64 0, %t0
  %d1 = udiv i64 %i, 1
  %m1 = urem i64 %d1, 3
  %cp1 = getelementptr i64, ptr %strides, i64 1
  %c1 = load i64, ptr %cp1, align 8
  %t1 = mul i64 %m1, %c1
  %u1 = add i64 %u0, %t1
  %near = getelementptr i64, ptr %buffer, i64 %i
  %far = getelementptr i8, ptr %place, i64 %u1
  %value = load i64, ptr %near, align 8
  store i64 %value, ptr %far, align 8
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 9
  br i1 %more, label %entries, label %end
end:
  ret void
}
define internal void @copy6(ptr %buffer, ptr %place, ptr %strides) {
entry:
  br i1 true, label %entries, label %end
entries:
  %i = phi i64 [0, %entry], [%next, %entries]
  %d0 = udiv i64 %i, 3
  %m0 = urem i64 %d0, 4
  %cp0 = getelementptr i64, ptr %strides, i64 0
  %c0 = load i64, ptr %cp0, align 8
  %t0 = mul i64 %m0, %c0
  %u0 = add i64 0, %t0
  %d1 = udiv i64 %i, 1
  %m1 = urem i64 %d1, 3
  %cp1 = getelementptr i64, ptr %strides, i64 1
  %c1 = load i64, ptr %cp1, align 8
  %t1 = mul i64 %m1, %c1
  %u1 = add i64 %u0, %t1
  %near = getelementptr i64, ptr %buffer, i64 %i
  %far = getelementptr i8, ptr %place, i64 %u1
  %value = load i64, ptr %near, align 8
  store i64 %value, ptr %far, align 8
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 12
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
@shape_3_3 = internal constant [2 x i64] [i64 3, i64 3], align 8
@shape_4 = internal constant [1 x i64] [i64 4], align 8
@shape_4_3 = internal constant [2 x i64] [i64 4, i64 3], align 8
@shape_4_4 = internal constant [2 x i64] [i64 4, i64 4], align 8
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
  %f0_0 = icmp eq i64 %n0_0, 4
  %fits0_1 = and i1 true, %f0_0
  %dp0 = getelementptr i8, ptr %arg0, i64 16
  %d0 = load ptr, ptr %dp0, align 8
  br i1 %fits0_1, label %check1, label %slow
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
  %f1_0 = icmp eq i64 %n1_0, 4
  %fits1_1 = and i1 true, %f1_0
  %dp1 = getelementptr i8, ptr %arg1, i64 16
  %d1 = load ptr, ptr %dp1, align 8
  br i1 %fits1_1, label %check2, label %slow
check2:
  %r0 = call ptr %PyArray_New(ptr %array_type, i32 2, ptr @shape_4_4, i32 12, ptr null, ptr null, i32 0, i32 0, ptr null)
  %bad0 = icmp eq ptr %r0, null
  br i1 %bad0, label %failed, label %made0
made0:
  %rp0 = getelementptr i8, ptr %r0, i64 16
  %rd0 = load ptr, ptr %rp0, align 8
  br label %make1
make1:
  %r1 = call ptr %PyArray_New(ptr %array_type, i32 1, ptr @shape_4, i32 12, ptr null, ptr null, i32 0, i32 0, ptr null)
  %bad1 = icmp eq ptr %r1, null
  br i1 %bad1, label %failed, label %made1
made1:
  %rp1 = getelementptr i8, ptr %r1, i64 16
  %rd1 = load ptr, ptr %rp1, align 8
  br label %make2
make2:
  %r2 = call ptr %PyArray_New(ptr %array_type, i32 1, ptr @shape_3, i32 12, ptr null, ptr null, i32 0, i32 0, ptr null)
  %bad2 = icmp eq ptr %r2, null
  br i1 %bad2, label %failed, label %made2
made2:
  %rp2 = getelementptr i8, ptr %r2, i64 16
  %rd2 = load ptr, ptr %rp2, align 8
  br label %make3
make3:
  %r3 = call ptr %PyArray_New(ptr %array_type, i32 2, ptr @shape_3_3, i32 12, ptr null, ptr null, i32 0, i32 0, ptr null)
  %bad3 = icmp eq ptr %r3, null
  br i1 %bad3, label %failed, label %made3
made3:
  %rp3 = getelementptr i8, ptr %r3, i64 16
  %rd3 = load ptr, ptr %rp3, align 8
  br label %make4
make4:
  %r4 = call ptr %PyArray_New(ptr %array_type, i32 2, ptr @shape_4_3, i32 12, ptr null, ptr null, i32 0, i32 0, ptr null)
  %bad4 = icmp eq ptr %r4, null
  br i1 %bad4, label %failed, label %made4
made4:
  %rp4 = getelementptr i8, ptr %r4, i64 16
  %rd4 = load ptr, ptr %rp4, align 8
  br label %make5
make5:
  call void @sample(ptr %d0, ptr %d1, ptr %rd0, ptr %rd1, ptr %rd2, ptr %rd3, ptr %rd4)
  %tuple = call ptr %PyTuple_New(i64 5)
  %no_tuple = icmp eq ptr %tuple, null
  br i1 %no_tuple, label %failed, label %fill
fill:
  %set0 = call i32 %PyTuple_SetItem(ptr %tuple, i64 0, ptr %r0)
  %set1 = call i32 %PyTuple_SetItem(ptr %tuple, i64 1, ptr %r1)
  %set2 = call i32 %PyTuple_SetItem(ptr %tuple, i64 2, ptr %r2)
  %set3 = call i32 %PyTuple_SetItem(ptr %tuple, i64 3, ptr %r3)
  %set4 = call i32 %PyTuple_SetItem(ptr %tuple, i64 4, ptr %r4)
  ret ptr %tuple
failed:
  ret ptr null
slow:
  %answer = call ptr %PyObject_Vectorcall(ptr %slow_callable, ptr %args, i64 %nargs, ptr null)
  ret ptr %answer
}
