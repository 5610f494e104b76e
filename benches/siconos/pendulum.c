/* The double pendulum of resources/double_pendulum_wall in its two angles, as Siconos calls it: mass matrix, inner
   forces, and the distances of the two points from the wall with their gradients. */
#include <math.h>

void mass(unsigned n, double *q, double *m, unsigned nz, double *z)
{
    double c = cos(q[0] - q[1]);
    m[0] = 2;
    m[1] = m[2] = c;
    m[3] = 1;
}

void inner_force(double t, unsigned n, double *q, double *v, double *f, unsigned nz, double *z)
{
    double g = 9.81, s = sin(q[0] - q[1]);
    f[0] = s * v[1] * v[1] + 2 * g * sin(q[0]);
    f[1] = -s * v[0] * v[0] + g * sin(q[1]);
}

void upper(unsigned n, double *q, unsigned ny, double *y, unsigned nz, double *z)
{
    y[0] = sin(q[0]);
}

void upper_gradient(unsigned n, double *q, unsigned ny, double *g, unsigned nz, double *z)
{
    g[0] = cos(q[0]);
    g[1] = 0;
}

void lower(unsigned n, double *q, unsigned ny, double *y, unsigned nz, double *z)
{
    y[0] = sin(q[0]) + sin(q[1]);
}

void lower_gradient(unsigned n, double *q, unsigned ny, double *g, unsigned nz, double *z)
{
    g[0] = cos(q[0]);
    g[1] = cos(q[1]);
}
