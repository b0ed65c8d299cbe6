import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';

/**
 * Has Debian install a package that some tests need, if this process may. Does nothing when `file`,
 * which comes with the package, is there. It says what it does, because it changes the machine and
 * not only the clone. When it fails, the tests say what they lack.
 */
export function installDebianPackage(name: string, file: string, purpose: string): void {
  if (existsSync(file) || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  process.stdout.write(`Installing ${name} for ${purpose} (apt-get), once ...\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = ['install', '-y', '-q', '--no-install-recommends', name];
  if (spawnSync('apt-get', install, { env, stdio: 'ignore' }).status === 0) return;
  // A machine that never asked does not know where the packages are.
  spawnSync('apt-get', ['update', '-q'], { env, stdio: 'ignore' });
  spawnSync('apt-get', install, { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Where Debian and most others install `ip`; `tc` is beside it. */
export const IP = '/usr/sbin/ip';

/** Installs the tools with which the cluster tests make networks that fail. */
export function installNetworkTools(): void {
  installDebianPackage('iproute2', IP, 'the cluster tests');
}

/** Those whose completion of commands is tested. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export function installShells(): void {
  for (const shell of SHELLS)
    installDebianPackage(shell, `/usr/bin/${shell}`, 'the tests of completion');
}

/**
 * Where Debian keeps the programs of the versions that are installed; the newest of these, or where
 * the next will be.
 */
export function postgresPrograms(): string {
  const versions = globSync('/usr/lib/postgresql/*/bin').toSorted();
  return versions.at(-1) ?? '/usr/lib/postgresql/15/bin';
}

/** Installs the database that tests of the log and of connectors use. */
export function installPostgres(): void {
  installDebianPackage(
    'postgresql',
    `${postgresPrograms()}/initdb`,
    'the tests of the log in it and of connectors',
  );
}

/** Where Debian installs the mail server that a connector reads in tests. */
export const DOVECOT = '/usr/sbin/dovecot';

export function installDovecot(): void {
  installDebianPackage('dovecot-imapd', DOVECOT, 'the tests of connectors');
}

/** Where Debian installs the directory that a connector reads in tests. */
export const SLAPD = '/usr/sbin/slapd';

export function installSlapd(): void {
  installDebianPackage('slapd', SLAPD, 'the tests of connectors');
}

/** Where Debian installs the web server whose WebDAV a connector reads in tests. */
export const APACHE = '/usr/sbin/apache2';

export function installApache(): void {
  installDebianPackage('apache2-bin', APACHE, 'the tests of connectors');
}

/** Where Debian installs the load balancer that `npm run cluster` puts in front of members. */
export const HAPROXY = '/usr/sbin/haproxy';

export function installHaproxy(): void {
  installDebianPackage('haproxy', HAPROXY, 'the cluster on this machine');
}

/** Where Debian installs what builds images without an engine for containers. */
export const BUILDAH = '/usr/bin/buildah';

export function installBuildah(): void {
  installDebianPackage('buildah', BUILDAH, 'the test of the image');
}

/** Where Debian installs what reads and writes RDF. */
export const RAPPER = '/usr/bin/rapper';

export function installRapper(): void {
  installDebianPackage('raptor2-utils', RAPPER, 'the tests of exports as RDF');
}

/** Whether Python knows networkx, whoever has installed it. */
export function hasNetworkx(): boolean {
  return spawnSync('python3', ['-c', 'import networkx']).status === 0;
}

export function installNetworkx(): void {
  if (hasNetworkx()) return;
  const file = '/usr/lib/python3/dist-packages/networkx/__init__.py';
  installDebianPackage('python3-networkx', file, 'the tests of exports as GraphML');
}
