typedef float real;


extern "C" __global__ void __launch_bounds__(64) kernel(
    const real *__restrict__ x0, long long s0,
    const real *__restrict__ x1, long long s1,
    real *__restrict__ y0,
    long long samples)
{
    const long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= samples) return;
    const float t1 = x0[row * s0 + 0];
    const float t2 = t1 * 0.63661975f;
    const float t3 = rintf(t2);
    const float t4 = -t3;
    const float t5 = fmaf(t4, 1.5707964f, t1);
    const float t6 = fmaf(t4, -4.371139e-08f, t5);
    const float t7 = fmaf(t4, -1.7151245e-15f, t6);
    const float t8 = fabsf(t1);
    const int t9 = t8 <= 1.048576e+06f;
    const float t10 = t9 ? t7 : __int_as_float(0x7fc00000);
    const float t11 = t10 * t10;
    const float t12 = t11 * 0.5f;
    const float t13 = 1.0f - t12;
    const float t14 = 1.0f - t13;
    const float t15 = t14 - t12;
    const float t16 = fmaf(t11, 2.4542871e-05f, -0.0013888279f);
    const float t17 = fmaf(t11, t16, 0.041666664f);
    const float t18 = t11 * t11;
    const float t19 = fmaf(t18, t17, t15);
    const float t20 = t13 + t19;
    const float t21 = fmaf(t11, 2.7243782e-06f, -0.00019840039f);
    const float t22 = fmaf(t11, t21, 0.008333332f);
    const float t23 = fmaf(t11, t22, -0.16666667f);
    const float t24 = t10 * t11;
    const float t25 = fmaf(t24, t23, t10);
    const float t26 = t3 * 0.5f;
    const float t27 = floorf(t26);
    const float t28 = fmaf(t27, -2.0f, t3);
    const int t29 = t28 != 0.0f;
    const float t30 = t29 ? t20 : t25;
    const float t31 = -t30;
    const float t32 = 0.5f * t27;
    const float t33 = floorf(t32);
    const float t34 = fmaf(-2.0f, t33, t27);
    const int t35 = 0.0f != t34;
    const float t36 = t35 ? t31 : t30;
    const float t37 = x1[row * s1 + 1];
    const float t38 = t37 * t36;
    const float t39 = -t38;
    const float t40 = t29 ? t25 : t20;
    const float t41 = -t40;
    const int t42 = !t35;
    const int t43 = t29 && t42;
    const int t44 = !t29;
    const int t45 = t35 && t44;
    const int t46 = t43 || t45;
    const float t47 = t46 ? t41 : t40;
    const float t48 = x1[row * s1 + 0];
    const float t49 = fmaf(t48, t47, t39);
    y0[row * 2 + 0] = t49;
    const float t50 = t37 * t47;
    const float t51 = fmaf(t48, t36, t50);
    y0[row * 2 + 1] = t51;
}
