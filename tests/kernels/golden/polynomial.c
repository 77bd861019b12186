/* polynomial.c: see polynomial.h */

#include "polynomial.h"

#include <math.h>

#ifdef UNMOORED_NO_FMA
#define UM_FMA(a, b, c) ((a) * (b) + (c))
#else
#define UM_FMA(a, b, c) fma(a, b, c)
#endif

void polynomial(const double *x, double *p, double *r)
{
    const double t1 = x[0];
    const double t2 = x[1];
    const double t3 = x[2];
    const double t4 = UM_FMA(t1, t2, -0.5);
    const double t5 = UM_FMA(t3, t3, t4);
    const double t6 = UM_FMA(t2, t2, 1.0);
    const double t7 = t1 / t6;
    p[0] = t5;
    r[0] = t7;
}
