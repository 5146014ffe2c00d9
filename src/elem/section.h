/* Cross sections: stiffness and inertia per unit of length. Pure functions of a shape's dimensions
 * and a material; the formulas are in docs/theory/beam-sections.md.
 *
 * Local axes: x along the beam, y and z the principal axes of the section through its centre.
 * Iz = integral of y^2 dA goes with bending in the xy plane, Iy with bending in the xz plane. */
#ifndef LM_ELEM_SECTION_H
#define LM_ELEM_SECTION_H

typedef struct lm_section {
    double EA, EIy, EIz, GJ;
    double GAy, GAz; /* shear stiffness, shear factor included; INFINITY: rigid in shear */
    double rhoA, rhoIy, rhoIz; /* the inertia about x is rhoIy + rhoIz */
    /* normal stress: |N|/A + |My|/Wy + |Mz|/Wz at the worst corner, see lm_section_stress */
    double A, Wy, Wz; /* area and section moduli; NAN where the shape is not known */
    int round;        /* 1: bending stress of both moments adds as vectors (circle, tube) */
} lm_section;

/* Isotropic, linear elastic. Poisson's ratio, where a formula needs it, is E/(2G) - 1. */
typedef struct lm_elastic {
    double E, G, rho;
} lm_elastic;

lm_section lm_section_rectangle(const lm_elastic *m, double height, double width);
lm_section lm_section_circle(const lm_elastic *m, double radius);
/* Outer radius and thickness of the wall, 0 < thickness <= radius. */
lm_section lm_section_tube(const lm_elastic *m, double radius, double thickness);
/* Outer sizes and thickness of the wall, 0 < thickness <= half of the smaller size. */
lm_section lm_section_box(const lm_elastic *m, double height, double width, double thickness);
/* By its constants; ky and kz are the shear factors along y and z. */
lm_section lm_section_general(const lm_elastic *m, double A, double Iy, double Iz, double J,
                              double ky, double kz);
/* By its stiffness: EA, EIy, EIz, GJ, GAy, GAz and the inertias of `s`; the rest is not known. */
lm_section lm_section_stiffness(lm_section s);

/* Torsion constant of a solid rectangle with these sides, exact. */
double lm_torsion_rectangle(double a, double b);

/* Largest magnitude over the section of the normal stress of an axial force and bending moments;
 * NAN when the shape is not known. */
double lm_section_stress(const lm_section *s, double N, double My, double Mz);

#endif
