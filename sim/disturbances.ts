import type { Cluster } from './cluster.ts';
import type { Host } from './host.ts';
import type { Random } from './random.ts';

/** Something that goes wrong, and when it is over again. */
type Disturbance = (cluster: Cluster, random: Random) => void;

const SECOND_MS = 1_000;

const crashPrimary: Disturbance = (cluster, random) => {
  const downMs = random.between(50, 3 * SECOND_MS);
  cluster.crash(cluster.primaryHost, downMs, random.chance(0.6));
};

const crashReplica: Disturbance = (cluster, random) => {
  const host = anyReplica(cluster, random);
  const downMs = random.between(50, 3 * SECOND_MS);
  if (host !== undefined) cluster.crash(host, downMs, random.chance(0.6));
};

/** In order, by hand: of a replica at times while it tries to reach its primary. */
const restart: Disturbance = (cluster, random) => {
  const host = random.pick(cluster.hosts)!;
  const { network, scheduler } = cluster.world;
  if (random.chance(0.3)) {
    const { name } = cluster.primaryHost;
    network.cut(host.name, name);
    network.silence(host.name, name);
    scheduler.after(random.between(1, 40) * SECOND_MS, 'a silence ends', () => {
      network.links.endSilence(host.name, name);
    });
  }
  scheduler.after(random.between(0, SECOND_MS), 'a restart', () => {
    cluster.stop(host, random.between(50, SECOND_MS));
  });
};

const cut: Disturbance = (cluster, random) => {
  const host = anyReplica(cluster, random);
  if (host !== undefined) cluster.world.network.cut(host.name, cluster.primaryHost.name);
};

/** In one direction, or in both. */
const silence: Disturbance = (cluster, random) => {
  const host = anyReplica(cluster, random);
  if (host === undefined) return;
  const { network, scheduler } = cluster.world;
  const [a, b] = [host.name, cluster.primaryHost.name];
  const kind = random.between(0, 2);
  const ways: [string, string][] = [];
  if (kind !== 0) ways.push([a, b]);
  if (kind !== 1) ways.push([b, a]);
  scheduler.note(`silence ${ways.map((way) => way.join(' to ')).join(', ')}`);
  for (const [from, to] of ways) network.silence(from, to);
  scheduler.after(random.between(100, 40 * SECOND_MS), 'a silence ends', () => {
    for (const [from, to] of ways) network.links.endSilence(from, to);
  });
};

const slowLink: Disturbance = (cluster, random) => {
  const host = anyReplica(cluster, random);
  if (host === undefined) return;
  const { network, scheduler } = cluster.world;
  const link = network.links.between(cluster.primaryHost.name, host.name);
  link.delayMaxMs = random.between(20, 600);
  scheduler.after(random.between(SECOND_MS, 8 * SECOND_MS), 'a link is fast again', () => {
    link.delayMaxMs = 4;
  });
};

const damage: Disturbance = (cluster, random) => {
  const host = anyReplica(cluster, random);
  if (host === undefined) return;
  const { network, scheduler } = cluster.world;
  const [a, b] = [host.name, cluster.primaryHost.name];
  const links = [network.links.between(a, b), network.links.between(b, a)];
  const probability = random.share() * 0.3;
  for (const link of links) link.damageProbability = probability;
  scheduler.after(random.between(200, 5 * SECOND_MS), 'nothing is damaged any more', () => {
    for (const link of links) link.damageProbability = 0;
  });
};

const fullDisk: Disturbance = (cluster, random) => {
  const host = random.chance(0.3) ? cluster.primaryHost : anyReplica(cluster, random);
  if (host === undefined) return;
  const { scheduler } = cluster.world;
  scheduler.note(`the disk of ${host.name} is full`);
  host.disk.isFull = true;
  scheduler.after(random.between(100, 5 * SECOND_MS), 'a disk has room', () => {
    host.disk.isFull = false;
  });
};

const slowDisk: Disturbance = (cluster, random) => {
  const { scheduler } = cluster.world;
  const { disk } = random.pick(cluster.hosts)!;
  disk.syncMaxMs = random.between(10, 500);
  scheduler.after(random.between(SECOND_MS, 5 * SECOND_MS), 'a disk is fast again', () => {
    disk.syncMaxMs = 2;
  });
};

/** Often promotes a replica that is behind, and has not seen all that was acknowledged. */
const promote: Disturbance = (cluster, random) => {
  const host = anyReplica(cluster, random);
  if (host === undefined || cluster.replicaHosts.length < 2) return;
  const { network, scheduler } = cluster.world;
  const old = cluster.primaryHost.name;
  if (random.chance(0.7)) network.silence(old, host.name);
  scheduler.after(random.between(0, 2 * SECOND_MS), 'a promotion', () => {
    network.links.endSilence(old, host.name);
    if (cluster.replicaHosts.includes(host)) cluster.promote(host);
  });
};

/** Away for about as long as a primary waits, or longer: stopped, or unheard. */
export const leaveLong: Disturbance = (cluster, random) => {
  const host = anyReplica(cluster, random);
  if (host === undefined) return;
  const awayMs = random.between(9, 14) * 60 * SECOND_MS;
  if (random.chance(0.5)) {
    cluster.crash(host, awayMs, true);
    return;
  }
  const { network, scheduler } = cluster.world;
  const primary = cluster.primaryHost.name;
  cluster.healAfter(awayMs);
  network.silence(host.name, primary);
  scheduler.note(`silence ${host.name} to ${primary} for ${awayMs} ms`);
};

/** Each as often as its number says, in relation to the others. */
const DISTURBANCES: readonly (readonly [Disturbance, number])[] = [
  [crashPrimary, 20],
  [crashReplica, 20],
  [restart, 10],
  [cut, 15],
  [silence, 15],
  [slowLink, 10],
  [damage, 10],
  [fullDisk, 10],
  [slowDisk, 10],
  [promote, 6],
];

export function disturb(cluster: Cluster, random: Random): void {
  const total = DISTURBANCES.reduce((sum, [, weight]) => sum + weight, 0);
  let at = random.share() * total;
  for (const [disturbance, weight] of DISTURBANCES) {
    at -= weight;
    if (at >= 0) continue;
    disturbance(cluster, random);
    return;
  }
}

function anyReplica({ replicaHosts }: Cluster, random: Random): Host | undefined {
  return random.pick(replicaHosts);
}
