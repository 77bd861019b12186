typedef double real;

/* Read a number here and not later: the compiler would move it to where it is used. */
__device__ __forceinline__ real um_read(const real *place)
{
    real x = *place;
#ifdef __CUDA_ARCH__
    asm volatile("" : "+d"(x));
#endif
    return x;
}

__device__ __forceinline__ int um_bit0(double x)
{
    /* the last bit: whether the integer in the last bits is odd */
    union { double x; unsigned long long u; } number;
    number.x = x;
    return (int)(number.u & 1u);
}

__device__ __forceinline__ int um_bit1(double x)
{
    /* the last bit but one */
    union { double x; unsigned long long u; } number;
    number.x = x;
    return (int)(number.u >> 1 & 1u);
}

__device__ const int kernel_scan0_records[28] = {
    0, 0, 38, 8, 15, 38, 0, 1,
    0, 8, 16, 23, 8, 1, 1, 3,
    16, 23, 30, 16, 2, 0, 3, 16,
    30, 37, 16, 3
};

__device__ const double kernel_scan0_table0[6] = {
    -0.1321048632913019, 0.6404226504432821, 0.10490011715303971, -0.6232744625373522, 0.0413259793472436, -2.3250307746388343
};

__device__ __noinline__ void kernel_scan0_step0(double *scratch, const int *record)
{
    const double t1 = scratch[record[2] + 0];
    const double t2 = scratch[record[2] + 1];
    const double t3 = scratch[record[2] + 2];
    const double t4 = kernel_scan0_table0[record[1] + 0];
    const double t5 = fma(t1, t4, t3);
    const double t6 = kernel_scan0_table0[record[1] + 1];
    const double t7 = scratch[record[6] + 0];
    const double t8 = t7 + t6;
    const double t9 = fma(t2, t8, t5);
    const double t10 = scratch[record[2] + 3];
    const double t11 = scratch[record[2] + 4];
    const double t12 = scratch[record[2] + 5];
    const double t13 = fma(t10, t4, t12);
    const double t14 = fma(t11, t8, t13);
    const double t15 = kernel_scan0_table0[record[1] + 2];
    const double t16 = scratch[record[2] + 6];
    const double t17 = t16 + t15;
    scratch[record[3] + 0] = t1;
    scratch[record[3] + 1] = t2;
    scratch[record[3] + 2] = t9;
    scratch[record[3] + 3] = t10;
    scratch[record[3] + 4] = t11;
    scratch[record[3] + 5] = t14;
    scratch[record[3] + 6] = t17;
    scratch[record[4] + 0] = t8;
}

__device__ const double kernel_scan0_table1[6] = {
    -0.535669373161111, 0.36159505490948474, 1.3040000451301372, 0.9470809631292422, -0.7037352358069926, -1.2654214710460525
};

__device__ __noinline__ void kernel_scan0_step1(double *scratch, const int *record)
{
    const double t1 = scratch[record[6] + 0];
    const double t2 = fma(t1, 0.6366197723675814, 6755399441055744.0);
    const double t3 = 6755399441055744.0 - t2;
    const double t4 = fma(t3, 1.5707963267948966, t1);
    const double t5 = fma(t3, 6.123233995736766e-17, t4);
    const double t6 = fma(t3, -1.4973849048591698e-33, t5);
    const double t7 = fabs(t1);
    const int t8 = t7 <= 1125899906842624.0;
    const double t9 = t8 ? t6 : __longlong_as_double(0x7ff8000000000000ll);
    const double t10 = t9 * t9;
    const double t11 = fma(t10, -1.1380868171449914e-11, 2.0876121534608454e-09);
    const double t12 = fma(t10, t11, -2.7557317151858866e-07);
    const double t13 = fma(t10, t12, 2.480158729853226e-05);
    const double t14 = fma(t10, t13, -0.0013888888888887241);
    const double t15 = fma(t10, t14, 0.041666666666666664);
    const double t16 = fma(t10, -0.5, 1.0);
    const double t17 = 1.0 - t16;
    const double t18 = fma(t10, -0.5, t17);
    const double t19 = t10 * t10;
    const double t20 = fma(t19, t15, t18);
    const double t21 = t16 + t20;
    const double t22 = fma(t10, 1.5915309183057952e-10, -2.5051092308431318e-08);
    const double t23 = fma(t10, t22, 2.7557315910939e-06);
    const double t24 = fma(t10, t23, -0.00019841269836385435);
    const double t25 = fma(t10, t24, 0.0083333333333307);
    const double t26 = fma(t10, t25, -0.16666666666666666);
    const double t27 = t9 * t10;
    const double t28 = fma(t27, t26, t9);
    const int t29 = um_bit0(t2);
    const double t30 = t29 ? t21 : t28;
    const double t31 = -t30;
    const int t32 = um_bit1(t2);
    const double t33 = t32 ? t31 : t30;
    const double t34 = scratch[record[2] + 1];
    const double t35 = t34 * t33;
    const double t36 = -t28;
    const double t37 = t29 ? t36 : t21;
    const double t38 = -t37;
    const double t39 = t32 ? t38 : t37;
    const double t40 = scratch[record[2] + 0];
    const double t41 = fma(t40, t39, t35);
    const double t42 = t34 * t39;
    const double t43 = -t33;
    const double t44 = fma(t40, t43, t42);
    const double t45 = scratch[record[2] + 2];
    const double t46 = kernel_scan0_table1[record[1] + 0];
    const double t47 = fma(t40, t46, t45);
    const double t48 = kernel_scan0_table1[record[1] + 1];
    const double t49 = fma(t34, t48, t47);
    const double t50 = scratch[record[2] + 4];
    const double t51 = t50 * t33;
    const double t52 = scratch[record[2] + 3];
    const double t53 = fma(t52, t39, t51);
    const double t54 = t50 * t39;
    const double t55 = fma(t52, t43, t54);
    const double t56 = scratch[record[2] + 5];
    const double t57 = fma(t52, t46, t56);
    const double t58 = fma(t50, t48, t57);
    const double t59 = kernel_scan0_table1[record[1] + 2];
    const double t60 = scratch[record[2] + 6];
    const double t61 = t60 + t59;
    scratch[record[3] + 0] = t41;
    scratch[record[3] + 1] = t44;
    scratch[record[3] + 2] = t49;
    scratch[record[3] + 3] = t53;
    scratch[record[3] + 4] = t55;
    scratch[record[3] + 5] = t58;
    scratch[record[3] + 6] = t61;
}

__device__ __noinline__ void kernel_scan0(double *scratch)
{
    for (int item = 0; item < 4; ++item) {
        const int *record = kernel_scan0_records + 7 * item;
        switch (record[0]) {
        case 0: kernel_scan0_step0(scratch, record); break;
        case 1: kernel_scan0_step1(scratch, record); break;
        }
    }
}

__device__ const int kernel_scan1_records[32] = {
    0, 0, 67, 49, 45, 76, 15, 4,
    1, 0, 58, 67, 46, 76, 5, 0,
    1, 4, 76, 58, 47, 58, 6, 0,
    0, 4, 76, 58, 48, 76, 37, 7
};

__device__ const double kernel_scan1_table0[8] = {
    -0.1321048632913019, 0.10490011715303971, 0.6404226504432821, 1.0335855753054644, -0.6232744625373522, -2.3250307746388343, 0.0413259793472436, 1.8631789223498867
};

__device__ __noinline__ void kernel_scan1_step0(double *scratch, const int *record)
{
    const double t1 = scratch[record[7] + 0];
    const double t2 = kernel_scan1_table0[record[1] + 3];
    const double t3 = t2 * t1;
    const double t4 = scratch[record[2] + 0];
    const double t5 = kernel_scan1_table0[record[1] + 0];
    const double t6 = fma(t5, t3, t4);
    const double t7 = scratch[record[2] + 1];
    const double t8 = scratch[record[6] + 0];
    const double t9 = fma(t8, t3, t7);
    const double t10 = scratch[record[2] + 2];
    const double t11 = kernel_scan1_table0[record[1] + 1];
    const double t12 = fma(t11, t3, t10);
    const double t13 = t5 * t5;
    const double t14 = scratch[record[2] + 3];
    const double t15 = fma(t2, t13, t14);
    const double t16 = t15 * 0.9;
    const double t17 = kernel_scan1_table0[record[1] + 2];
    const double t18 = t5 * t17;
    const double t19 = scratch[record[2] + 4];
    const double t20 = fma(t2, t18, t19);
    const double t21 = t20 * 0.9;
    const double t22 = t5 * t11;
    const double t23 = scratch[record[2] + 5];
    const double t24 = fma(t2, t22, t23);
    const double t25 = t24 * 0.9;
    const double t26 = t17 * t17;
    const double t27 = scratch[record[2] + 6];
    const double t28 = fma(t2, t26, t27);
    const double t29 = t28 * 0.9;
    const double t30 = t11 * t17;
    const double t31 = scratch[record[2] + 7];
    const double t32 = fma(t2, t30, t31);
    const double t33 = t32 * 0.9;
    const double t34 = t11 * t11;
    const double t35 = scratch[record[2] + 8];
    const double t36 = fma(t2, t34, t35);
    const double t37 = t36 * 0.9;
    const double t38 = fma(t12, t12, t20);
    const double t39 = fma(t6, t6, t38);
    const double t40 = fma(t9, t9, t39);
    scratch[record[3] + 0] = scratch[record[5] + 0] + t6;
    scratch[record[3] + 1] = scratch[record[5] + 1] + t9;
    scratch[record[3] + 2] = scratch[record[5] + 2] + t12;
    scratch[record[3] + 3] = scratch[record[5] + 3] + t16;
    scratch[record[3] + 4] = scratch[record[5] + 4] + t21;
    scratch[record[3] + 5] = scratch[record[5] + 5] + t25;
    scratch[record[3] + 6] = scratch[record[5] + 6] + t29;
    scratch[record[3] + 7] = scratch[record[5] + 7] + t33;
    scratch[record[3] + 8] = scratch[record[5] + 8] + t37;
    scratch[record[4] + 0] = t40;
}

__device__ const double kernel_scan1_table1[8] = {
    -0.535669373161111, 0.36159505490948474, 1.3040000451301372, 1.729655446429944, 0.9470809631292422, -0.7037352358069926, -1.2654214710460525, 1.175655620602559
};

__device__ __noinline__ void kernel_scan1_step1(double *scratch, const int *record)
{
    const double t1 = scratch[record[6] + 0];
    const double t2 = kernel_scan1_table1[record[1] + 3];
    const double t3 = t2 * t1;
    const double t4 = scratch[record[2] + 0];
    const double t5 = kernel_scan1_table1[record[1] + 0];
    const double t6 = fma(t5, t3, t4);
    const double t7 = scratch[record[2] + 1];
    const double t8 = kernel_scan1_table1[record[1] + 1];
    const double t9 = fma(t8, t3, t7);
    const double t10 = scratch[record[2] + 2];
    const double t11 = kernel_scan1_table1[record[1] + 2];
    const double t12 = fma(t11, t3, t10);
    const double t13 = t5 * t5;
    const double t14 = scratch[record[2] + 3];
    const double t15 = fma(t2, t13, t14);
    const double t16 = t15 * 0.9;
    const double t17 = t5 * t8;
    const double t18 = scratch[record[2] + 4];
    const double t19 = fma(t2, t17, t18);
    const double t20 = t19 * 0.9;
    const double t21 = t5 * t11;
    const double t22 = scratch[record[2] + 5];
    const double t23 = fma(t2, t21, t22);
    const double t24 = t23 * 0.9;
    const double t25 = t8 * t8;
    const double t26 = scratch[record[2] + 6];
    const double t27 = fma(t2, t25, t26);
    const double t28 = t27 * 0.9;
    const double t29 = t8 * t11;
    const double t30 = scratch[record[2] + 7];
    const double t31 = fma(t2, t29, t30);
    const double t32 = t31 * 0.9;
    const double t33 = t11 * t11;
    const double t34 = scratch[record[2] + 8];
    const double t35 = fma(t2, t33, t34);
    const double t36 = t35 * 0.9;
    const double t37 = fma(t12, t12, t19);
    const double t38 = fma(t6, t6, t37);
    const double t39 = fma(t9, t9, t38);
    scratch[record[3] + 0] = scratch[record[5] + 0] + t6;
    scratch[record[3] + 1] = scratch[record[5] + 1] + t9;
    scratch[record[3] + 2] = scratch[record[5] + 2] + t12;
    scratch[record[3] + 3] = scratch[record[5] + 3] + t16;
    scratch[record[3] + 4] = scratch[record[5] + 4] + t20;
    scratch[record[3] + 5] = scratch[record[5] + 5] + t24;
    scratch[record[3] + 6] = scratch[record[5] + 6] + t28;
    scratch[record[3] + 7] = scratch[record[5] + 7] + t32;
    scratch[record[3] + 8] = scratch[record[5] + 8] + t36;
    scratch[record[4] + 0] = t39;
}

__device__ __noinline__ void kernel_scan1(double *scratch)
{
    for (int item = 3; item >= 0; --item) {
        const int *record = kernel_scan1_records + 8 * item;
        switch (record[0]) {
        case 0: kernel_scan1_step0(scratch, record); break;
        case 1: kernel_scan1_step1(scratch, record); break;
        }
    }
}

extern "C" __global__ void __launch_bounds__(64) kernel(
    const real *__restrict__ x0, long long s0,
    const real *__restrict__ x1, long long s1,
    real *__restrict__ y0,
    real *__restrict__ y1,
    real *__restrict__ y2,
    real *__restrict__ y3,
    real *__restrict__ y4,
    long long samples)
{
    const long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= samples) return;
    double scratch[98];
    for (int k = 0; k < 4; ++k) scratch[0 + k] = um_read(x0 + row * s0 + k);
    for (int k = 0; k < 4; ++k) scratch[4 + k] = um_read(x1 + row * s1 + k);
    scratch[87] = 0.0;
    const double t1 = um_read(x0 + row * s0 + 0);
    const double t2 = fma(t1, 0.6366197723675814, 6755399441055744.0);
    const double t3 = 6755399441055744.0 - t2;
    const double t4 = fma(t3, 1.5707963267948966, t1);
    const double t5 = fma(t3, 6.123233995736766e-17, t4);
    const double t6 = fma(t3, -1.4973849048591698e-33, t5);
    const double t7 = fabs(t1);
    const int t8 = t7 <= 1125899906842624.0;
    const double t9 = t8 ? t6 : __longlong_as_double(0x7ff8000000000000ll);
    const double t10 = t9 * t9;
    const double t11 = t9 * t10;
    const double t12 = fma(t10, 1.5915309183057952e-10, -2.5051092308431318e-08);
    const double t13 = fma(t10, t12, 2.7557315910939e-06);
    const double t14 = fma(t10, t13, -0.00019841269836385435);
    const double t15 = fma(t10, t14, 0.0083333333333307);
    const double t16 = fma(t10, t15, -0.16666666666666666);
    const double t17 = fma(t11, t16, t9);
    const double t18 = fma(t10, -0.5, 1.0);
    const double t19 = 1.0 - t18;
    const double t20 = fma(t10, -0.5, t19);
    const double t21 = t10 * t10;
    const double t22 = fma(t10, -1.1380868171449914e-11, 2.0876121534608454e-09);
    const double t23 = fma(t10, t22, -2.7557317151858866e-07);
    const double t24 = fma(t10, t23, 2.480158729853226e-05);
    const double t25 = fma(t10, t24, -0.0013888888888887241);
    const double t26 = fma(t10, t25, 0.041666666666666664);
    const double t27 = fma(t21, t26, t20);
    const double t28 = t18 + t27;
    const int t29 = um_bit0(t2);
    const int t30 = um_bit1(t2);
    const double t31 = t29 ? t28 : t17;
    const double t32 = -t31;
    const double t33 = t30 ? t32 : t31;
    scratch[92] = t33;
    scratch[38] = 1.0;
    scratch[39] = 0.0;
    scratch[40] = 0.0;
    scratch[41] = 0.0;
    scratch[42] = 1.0;
    scratch[43] = 0.0;
    scratch[44] = 0.0;
    kernel_scan0(scratch);
    const double t34 = scratch[30];
    const double t35 = t34 * t33;
    scratch[85] = t35;
    const double t36 = scratch[31];
    const double t37 = t36 * t33;
    scratch[86] = t37;
    const double t38 = scratch[32];
    const double t39 = t38 * t33;
    scratch[88] = t39;
    const double t40 = scratch[33];
    const double t41 = t40 * t33;
    scratch[89] = t41;
    const double t42 = scratch[34];
    const double t43 = t42 * t33;
    scratch[90] = t43;
    const double t44 = scratch[35];
    const double t45 = t44 * t33;
    scratch[91] = t45;
    const double t46 = scratch[36];
    const double t47 = t46 * t33;
    scratch[93] = t47;
    scratch[76] = 0.0;
    scratch[77] = 0.0;
    scratch[78] = 0.0;
    scratch[79] = 0.0;
    scratch[80] = 0.0;
    scratch[81] = 0.0;
    scratch[82] = 0.0;
    scratch[83] = 0.0;
    scratch[84] = 0.0;
    kernel_scan1(scratch);
    const double t48 = um_read(x1 + row * s1 + 0);
    const double t49 = scratch[45];
    const double t50 = t48 + t49;
    scratch[94] = t50;
    const double t51 = um_read(x1 + row * s1 + 1);
    const double t52 = scratch[46];
    const double t53 = t51 + t52;
    scratch[95] = t53;
    const double t54 = um_read(x1 + row * s1 + 2);
    const double t55 = scratch[47];
    const double t56 = t54 + t55;
    scratch[96] = t56;
    const double t57 = um_read(x1 + row * s1 + 3);
    const double t58 = scratch[48];
    const double t59 = t57 + t58;
    scratch[97] = t59;
    y0[row * 16 + 0] = scratch[85];
    y0[row * 16 + 1] = scratch[86];
    y0[row * 16 + 2] = scratch[87];
    y0[row * 16 + 3] = scratch[88];
    y0[row * 16 + 4] = scratch[89];
    y0[row * 16 + 5] = scratch[90];
    y0[row * 16 + 6] = scratch[87];
    y0[row * 16 + 7] = scratch[91];
    y0[row * 16 + 8] = scratch[87];
    y0[row * 16 + 9] = scratch[87];
    y0[row * 16 + 10] = scratch[92];
    y0[row * 16 + 11] = scratch[93];
    y0[row * 16 + 12] = scratch[87];
    y0[row * 16 + 13] = scratch[87];
    y0[row * 16 + 14] = scratch[87];
    y0[row * 16 + 15] = scratch[92];
    y1[row * 4 + 0] = scratch[94];
    y1[row * 4 + 1] = scratch[95];
    y1[row * 4 + 2] = scratch[96];
    y1[row * 4 + 3] = scratch[97];
    y2[row * 3 + 0] = scratch[49];
    y2[row * 3 + 1] = scratch[50];
    y2[row * 3 + 2] = scratch[51];
    y3[row * 9 + 0] = scratch[52];
    y3[row * 9 + 1] = scratch[53];
    y3[row * 9 + 2] = scratch[54];
    y3[row * 9 + 3] = scratch[53];
    y3[row * 9 + 4] = scratch[55];
    y3[row * 9 + 5] = scratch[56];
    y3[row * 9 + 6] = scratch[54];
    y3[row * 9 + 7] = scratch[56];
    y3[row * 9 + 8] = scratch[57];
    y4[row * 12 + 0] = scratch[10];
    y4[row * 12 + 1] = scratch[13];
    y4[row * 12 + 2] = scratch[14];
    y4[row * 12 + 3] = scratch[18];
    y4[row * 12 + 4] = scratch[21];
    y4[row * 12 + 5] = scratch[22];
    y4[row * 12 + 6] = scratch[25];
    y4[row * 12 + 7] = scratch[28];
    y4[row * 12 + 8] = scratch[29];
    y4[row * 12 + 9] = scratch[32];
    y4[row * 12 + 10] = scratch[35];
    y4[row * 12 + 11] = scratch[36];
}
