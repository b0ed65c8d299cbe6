import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromiumFile } from '../../tools/browser.ts';
import {
  APACHE,
  BUILDAH,
  DOVECOT,
  HAPROXY,
  hasNetworkx,
  IP,
  postgresPrograms,
  RAPPER,
  SHELLS,
  SLAPD,
} from '../../tools/debian-package.ts';
import { EMULATOR } from '../../tools/emulation.ts';
import { hasOwnFormats } from './clean-root.ts';

/**
 * Says whether a test must be skipped because this machine lacks what it needs:
 * `test.skipIf(requireRoot())`. The summary of `npm test` names what was skipped. With CI=true
 * nothing may be skipped: then it throws, and the test file fails.
 */
export function requireRoot(): boolean {
  return isMissing('root', process.getuid?.() !== 0);
}

export function requireChromium(): boolean {
  return isMissing('Chromium', !existsSync(chromiumFile()));
}

/** Root in a container may not make them. */
export function requireNetworkNamespaces(): boolean {
  const name = `trellis-probe-${process.pid}`;
  const isMade = existsSync(IP) && spawnSync(IP, ['netns', 'add', name]).status === 0;
  if (isMade) spawnSync(IP, ['netns', 'delete', name]);
  return isMissing('network namespaces (root, iproute2)', !isMade);
}

/** The Node and npm that people get with a package of Debian. */
export function requireNodePackage(): boolean {
  const { stdout } = spawnSync('dpkg', ['-L', 'nodejs'], { encoding: 'utf8' });
  const isThere = /\/bin\/npm$/m.test(stdout ?? '');
  return isMissing('a package "nodejs" of Debian with npm in it', !isThere);
}

export function requireGit(): boolean {
  return isMissing('Git', spawnSync('git', ['--version']).status !== 0);
}

export function requirePostgres(): boolean {
  return isMissing('PostgreSQL', !existsSync(join(postgresPrograms(), 'initdb')));
}

/** QEMU and packages for arm64, and a Linux that runs them without a change to the machine. */
export function requireArm64(): boolean {
  const isThere = existsSync(EMULATOR) && hasOwnFormats();
  return isMissing('QEMU 10 and Linux 6.7 (programs for arm64)', !isThere);
}

/** Its processes are those of users of their own, which only root may start. */
export function requireDovecot(): boolean {
  return isMissing('Dovecot and root', !existsSync(DOVECOT) || process.getuid?.() !== 0);
}

/** A directory: the package slapd of Debian. */
export function requireSlapd(): boolean {
  return isMissing('slapd', !existsSync(SLAPD));
}

/** A web server with WebDAV: the package apache2-bin of Debian. */
export function requireApache(): boolean {
  return isMissing('Apache (apache2-bin)', !existsSync(APACHE));
}

/** What builds images: the package buildah of Debian. */
export function requireBuildah(): boolean {
  return isMissing('buildah', !existsSync(BUILDAH));
}

export function requireHaproxy(): boolean {
  return isMissing('HAProxy', !existsSync(HAPROXY));
}

/** What reads RDF: the package raptor2-utils of Debian. */
export function requireRapper(): boolean {
  return isMissing('rapper (raptor2-utils)', !existsSync(RAPPER));
}

/** Graphs in Python: the package python3-networkx of Debian. */
export function requireNetworkx(): boolean {
  return isMissing('networkx (python3-networkx)', !hasNetworkx());
}

/** Those that `trellis completion` has scripts for. */
export function requireShells(): boolean {
  return isMissing('bash, zsh and fish', !SHELLS.every((shell) => existsSync(`/usr/bin/${shell}`)));
}

function isMissing(what: string, missing: boolean): boolean {
  if (missing && process.env['CI'] === 'true') {
    throw new Error(`this test needs ${what}, and with CI=true nothing may be skipped`);
  }
  return missing;
}
