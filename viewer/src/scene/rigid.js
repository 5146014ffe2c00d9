/**
 * Rigid bodies. The file knows points that matter (joints, loads, springs), the centre of mass and
 * the inertia, not a shape; drawn is a smooth body that spans the points: a link between two, a
 * rounded hull around more, an ellipsoid of the same inertia where the mass is compact.
 */
import { CylinderGeometry, Mesh, MeshPhongMaterial, SphereGeometry } from "three";
import { multiply, rotate } from "./pose.js";
import { Swarm, turnZTo } from "./swarm.js";
import { roundedHull } from "./hull.js";

/** Beyond this many bodies hulls are drawn as stars of links. */
const MOST_HULLS = 150;

const place = new Float64Array(3);
const turn = new Float64Array(4);

export class RigidBodies {
    constructor(scene, thickness, tint) {
        this.tint = tint;
        this.list = scene.bodies
            .map((body, index) => ({ ...body, index }))
            .filter((body) => body.type === "rigid");
        this.parts = { ball: [], rod: [] };
        this.hulls = [];
        const hullsLeft = this.list.length <= MOST_HULLS;
        for (const body of this.list) this.shape(body, thickness, hullsLeft, scene.size);
        const rod = new CylinderGeometry(1, 1, 1, 14).rotateX(Math.PI / 2);
        this.swarms = {
            ball: new Swarm(new SphereGeometry(1, 20, 14), this.parts.ball.length),
            rod: new Swarm(rod, this.parts.rod.length),
        };
        this.objects = [
            this.swarms.ball.object,
            this.swarms.rod.object,
            ...this.hulls.map((h) => h.mesh),
        ];
        this.highlight(-1, -1);
    }

    shape(body, thickness, hullAllowed, size) {
        const radius = thickness * (body.massless ? 0.7 : 1);
        const points = distinct([...body.points, body.com], radius);
        const reach = Math.max(...points.map((p) => distance(p, body.com)));
        const ellipsoid = body.massless ? null : body.ellipsoid;
        if (
            ellipsoid &&
            Math.max(...ellipsoid.axes) < Math.max(0.6 * reach, points.length < 2 ? size : 0)
        ) {
            this.ball(
                body,
                body.com,
                ellipsoid.axes.map((a) => Math.max(a, 0.6 * radius)),
                ellipsoid.q,
            );
            this.star(body, points, 0.5 * radius);
        } else if (points.length > 2 && hullAllowed) {
            this.hull(body, points, radius);
        } else if (points.length > 2) {
            this.star(body, points, radius);
        } else if (points.length === 2) {
            this.link(body, points[0], points[1], radius);
        } else {
            this.ball(body, points[0], [1.6 * radius, 1.6 * radius, 1.6 * radius]);
        }
    }

    ball(body, at, scale, q = [1, 0, 0, 0]) {
        this.parts.ball.push({ body, at, q, scale });
    }

    link(body, a, b, radius) {
        const d = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
        const length = Math.hypot(...d);
        const q = [1, 0, 0, 0];
        turnZTo(q, 0, ...d, length);
        const at = a.map((x, k) => x + d[k] / 2);
        this.parts.rod.push({ body, at, q, scale: [radius, radius, length] });
        for (const end of [a, b]) this.ball(body, end, [radius, radius, radius]);
    }

    star(body, points, radius) {
        for (const point of points) {
            if (distance(point, body.com) > radius) this.link(body, body.com, point, radius);
        }
    }

    hull(body, points, radius) {
        const material = new MeshPhongMaterial({ shininess: 35, specular: 0x1c1c1c });
        const mesh = new Mesh(roundedHull(points, radius), material);
        mesh.frustumCulled = false;
        mesh.userData.body = body.index;
        this.hulls.push({ body, mesh });
    }

    update(poses) {
        for (const kind of ["ball", "rod"]) {
            const swarm = this.swarms[kind];
            this.parts[kind].forEach(({ body, at, q, scale }, i) => {
                const p = body.pose * 7;
                rotate(place, 0, poses, p + 3, at[0], at[1], at[2]);
                for (let k = 0; k < 3; k++) place[k] += poses[p + k];
                multiply(turn, 0, poses, p + 3, q, 0);
                swarm.place(i, place, 0, turn, 0, scale[0], scale[1], scale[2]);
            });
            swarm.commit();
        }
        for (const { body, mesh } of this.hulls) {
            const p = body.pose * 7;
            mesh.position.set(poses[p], poses[p + 1], poses[p + 2]);
            mesh.quaternion.set(poses[p + 4], poses[p + 5], poses[p + 6], poses[p + 3]);
        }
    }

    highlight(selected, hovered) {
        const tintOf = (index) => {
            const share = (index === selected ? 0.35 : 0) + (index === hovered ? 0.2 : 0);
            return this.tint(index).clone().lerp(this.tint(-1), share);
        };
        for (const kind of ["ball", "rod"]) {
            this.parts[kind].forEach(({ body }, i) =>
                this.swarms[kind].paint(i, tintOf(body.index)),
            );
        }
        for (const { body, mesh } of this.hulls) mesh.material.color.copy(tintOf(body.index));
    }

    /** Body index of a ray's hit. */
    bodyOf(hit) {
        if (hit.object.userData.body !== undefined) return hit.object.userData.body;
        const kind = hit.object === this.swarms.ball.object ? "ball" : "rod";
        return this.parts[kind][hit.instanceId].body.index;
    }

    dispose() {
        this.swarms.ball.dispose();
        this.swarms.rod.dispose();
        for (const { mesh } of this.hulls) (mesh.geometry.dispose(), mesh.material.dispose());
    }
}

function distance(a, b) {
    return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

function distinct(points, tolerance) {
    const out = [];
    for (const p of points) if (!out.some((o) => distance(o, p) < tolerance)) out.push(p);
    return out;
}
