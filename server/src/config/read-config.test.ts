import { describe, expect, it } from 'vitest';
import { KEY_BYTES_MIN } from '#base/sign-in-limits.ts';
import { PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '@trellis/contract/limits.ts';
import { ConfigError, type ConfigFault, type Environment } from './config-error.ts';
import { readConfig } from './read-config.ts';
import { variables } from './variables.ts';

const REPLICATION = { host: '10.0.0.7', primaryAddress: 'https://primary.example.com' };
const REPLICA = {
  MSK_REPLICA: 'true',
  MSK_PRIMARY_ADDRESS: 'https://primary.example.com/',
  MSK_JWT_KEY: 'k'.repeat(32),
  MSK_GRAPH_STORAGE: '/srv/graph',
  MSK_PUBLIC_ADDRESS: 'https://replica.example.com',
  MSK_LICENSE: 'aaa.bbb.ccc',
  MSK_LICENSE_PUBLIC_KEY: '/etc/trellis/public.pem',
};

const S3_KEYS = ['MSK_GRAPH_BACKUP_S3_ACCESS_KEY', 'MSK_GRAPH_BACKUP_S3_SECRET_KEY'];

describe('readConfig', () => {
  it('fills in the defaults of an empty environment', () => {
    expect(readConfig({})).toEqual({
      config: {
        role: 'primary',
        http: {
          host: '127.0.0.1',
          port: 8080,
          corsOrigins: [],
          useHsts: false,
          redirectToHttps: false,
          trustedProxies: [],
        },
        publicAddress: null,
        serverAddress: null,
        storageFolder: './data',
        backup: {
          target: null,
          s3: { endpoint: null, region: 'us-east-1' },
          keep: { last: 30, days: 14, weeks: 8 },
        },
        lowMemory: false,
        graphMemoryMb: null,
        searchMemoryMb: null,
        searchBuildThreads: null,
        replication: { host: '127.0.0.1', port: 42_999, primaryAddress: null },
        member: null,
        connectorRoots: [],
        log: { level: 'info', folder: null },
        endpointTraces: { share: 0.01, keepsInputs: true },
        licensePublicKey: null,
        sampleGraph: 'wordnet',
        frontEndFolder: null,
        oauthRegistration: true,
        preview: null,
      },
      secrets: {
        jwtKey: null,
        sharedLog: null,
        graphMasterKey: null,
        adminPassword: null,
        backupAccessKey: null,
        backupSecretKey: null,
        smtpUrl: null,
        license: null,
      },
      warnings: [],
    });
  });

  it('takes a variable set to nothing as not set', () => {
    const blank = Object.fromEntries(Object.keys(variables).map((name) => [name, ' ']));
    const { config, secrets, warnings } = readConfig(blank);
    expect({ config, secrets, warnings }).toEqual(readConfig({}));
  });

  it('reads every variable', () => {
    const { config, secrets, warnings } = readConfig({
      ...REPLICA,
      MSK_HOST: '[::]',
      MSK_PORT: '0',
      MSK_GRAPH_MASTER_KEY: ' a key with blanks that is long enough ',
      MSK_GRAPH_BACKUP_FOLDER: 's3://backups/a//b/',
      MSK_GRAPH_BACKUP_S3_ENDPOINT: 'http://store:9000/',
      MSK_GRAPH_BACKUP_S3_REGION: 'eu-1',
      MSK_GRAPH_BACKUP_S3_ACCESS_KEY: 'an id',
      MSK_GRAPH_BACKUP_S3_SECRET_KEY: 'a secret',
      MSK_GRAPH_BACKUP_KEEP: '3',
      MSK_GRAPH_BACKUP_KEEP_DAYS: '0',
      MSK_ADMIN_PASSWORD: 'correct horse',
      MSK_SERVER_ADDRESS: 'http://10.0.0.7:8080',
      MSK_CORS: ' https://a.example ; http://b.example:81/;;https://a.example',
      MSK_USE_HSTS: 'TRUE',
      MSK_REDIRECT_TO_HTTPS: '1',
      MSK_TRUSTED_PROXIES: '10.0.0.7; fd00::/8,',
      MSK_REPLICATION_HOST: '10.0.0.7',
      MSK_REPLICATION_PORT: '43000',
      MSK_SMTP_URL: 'smtps://u:p@mail.example:465',
      MSK_OAUTH_REGISTRATION: 'false',
      MSK_LOW_MEMORY: 'true',
      MSK_GRAPH_MEMORY: '256',
      MSK_SEARCH_MEMORY_MB: '512',
      MSK_SEARCH_BUILD_THREADS: '3',
      MSK_LOG_LEVEL: 'Debug',
      MSK_LOG_PATH: '/var/log/trellis',
      MSK_CONNECTOR_ROOTS: '/srv/files; /mnt/tables;',
      MSK_ENDPOINT_TRACES: '0.5',
      MSK_ENDPOINT_TRACE_INPUTS: 'false',
      TRELLIS_SAMPLE: 'none',
      TRELLIS_FRONT_END: '/srv/front-end',
    });
    expect(warnings).toEqual([]);
    expect(config).toEqual({
      role: 'replica',
      http: {
        host: '::',
        port: 0,
        corsOrigins: ['https://a.example', 'http://b.example:81', 'https://primary.example.com'],
        useHsts: true,
        redirectToHttps: true,
        trustedProxies: ['10.0.0.7', 'fd00::/8'],
      },
      publicAddress: 'https://replica.example.com',
      serverAddress: 'http://10.0.0.7:8080',
      storageFolder: '/srv/graph',
      backup: {
        target: { kind: 's3', bucket: 'backups', prefix: 'a/b' },
        s3: { endpoint: 'http://store:9000', region: 'eu-1' },
        keep: { last: 3, days: 0, weeks: 8 },
      },
      lowMemory: true,
      graphMemoryMb: 256,
      searchMemoryMb: 512,
      searchBuildThreads: 3,
      replication: { ...REPLICATION, port: 43_000 },
      member: null,
      connectorRoots: ['/srv/files', '/mnt/tables'],
      log: { level: 'debug', folder: '/var/log/trellis' },
      endpointTraces: { share: 0.005, keepsInputs: false },
      licensePublicKey: '/etc/trellis/public.pem',
      sampleGraph: 'none',
      frontEndFolder: '/srv/front-end',
      oauthRegistration: false,
      preview: null,
    });
    expect(secrets).toEqual({
      jwtKey: REPLICA.MSK_JWT_KEY,
      sharedLog: null,
      graphMasterKey: ' a key with blanks that is long enough ',
      backupAccessKey: 'an id',
      backupSecretKey: 'a secret',
      adminPassword: 'correct horse',
      smtpUrl: 'smtps://u:p@mail.example:465',
      license: 'aaa.bbb.ccc',
    });
  });

  it('reports every fault at once, with what to do', () => {
    const faults = faultsOf({
      MSK_PORT: '65536',
      MSK_USE_HSTS: 'maybe',
      MSK_REPLICA: 'true',
      MSK_SMTP_URL: 'hunter2-hunter2',
      MSK_ADMIN_PASSWORD: 'x'.repeat(PASSWORD_CHARACTERS_MAX + 1),
    });
    expect(faults.map((fault) => fault.variable)).toEqual([
      'MSK_PORT',
      'MSK_USE_HSTS',
      'MSK_ADMIN_PASSWORD',
      'MSK_SMTP_URL',
      'MSK_JWT_KEY',
      'MSK_PRIMARY_ADDRESS',
      'MSK_GRAPH_STORAGE',
    ]);
    const error = new ConfigError(faults);
    expect(error.exitCode).toBe(78);
    expect(error.message).toContain('7 settings are wrong');
    expect(error.message).toContain('MSK_PORT is "65536", which is no port. Set a number');
    expect(error.message).toContain('common JWT key is mandatory');
    expect(error.message).not.toContain('hunter2');
  });

  it.each<[string, string, boolean]>([
    ['MSK_PORT', '0', true],
    ['MSK_PORT', '65535', true],
    ['MSK_PORT', '65536', false],
    ['MSK_PORT', '-1', false],
    ['MSK_PORT', '8e1', false],
    ['MSK_PORT', '80.5', false],
    ['MSK_REPLICATION_PORT', '65535', true],
    ['MSK_REPLICATION_PORT', '70000', false],
    ['MSK_HOST', 'localhost', true],
    ['MSK_HOST', '0.0.0.0', true],
    ['MSK_HOST', '::1', true],
    ['MSK_HOST', '300.0.0.1', false],
    ['MSK_HOST', 'http://localhost', false],
    ['MSK_HOST', 'localhost:80', false],
    ['MSK_LOW_MEMORY', '0', true],
    ['MSK_LOW_MEMORY', 'yes', false],
    ['MSK_LOG_LEVEL', 'silent', true],
    ['MSK_LOG_LEVEL', 'verbose', false],
    ['MSK_PUBLIC_ADDRESS', 'https://x.example/workspace', true],
    ['MSK_PUBLIC_ADDRESS', 'x.example', false],
    ['MSK_PUBLIC_ADDRESS', 'ftp://x.example', false],
    ['MSK_PUBLIC_ADDRESS', 'https://u:p@x.example', false],
    ['MSK_PUBLIC_ADDRESS', 'https://x.example?a=1', false],
    ['MSK_CORS', 'https://x.example;https://y.example', true],
    ['MSK_CORS', ';', true],
    ['MSK_CORS', '*', false],
    ['MSK_CORS', 'https://x.example/path', false],
    ['MSK_CORS', 'https://x.example,https://y.example', false],
    ['MSK_CORS', 'null', false],
    ['TRELLIS_PREVIEW', 'true', false],
    ['MSK_GRAPH_BACKUP_FOLDER', 'S3://Bucket', false],
    ['MSK_GRAPH_BACKUP_FOLDER', 's3://bucket/../x', false],
    ['MSK_GRAPH_BACKUP_FOLDER', 's3://bucket/a b', false],
    ['MSK_GRAPH_BACKUP_FOLDER', 'file:///srv/backups', false],
    ['MSK_GRAPH_BACKUP_FOLDER', '/srv/back:ups', true],
    ['MSK_GRAPH_BACKUP_KEEP', '0', true],
    ['MSK_GRAPH_BACKUP_KEEP', '10000', true],
    ['MSK_GRAPH_BACKUP_KEEP', '10001', false],
    ['MSK_GRAPH_BACKUP_KEEP_DAYS', '-1', false],
    ['MSK_GRAPH_BACKUP_KEEP_WEEKS', 'all', false],
    ['MSK_SMTP_URL', 'smtp://mail.example', true],
    ['MSK_SMTP_URL', 'smtp:mail', false],
    ['MSK_SMTP_URL', 'https://mail.example', false],
    ['MSK_ADMIN_PASSWORD', 'x', true],
    ['MSK_ADMIN_PASSWORD', 'x'.repeat(PASSWORD_CHARACTERS_MAX), true],
    ['MSK_ADMIN_PASSWORD', 'x'.repeat(PASSWORD_CHARACTERS_MAX + 1), false],
  ])('%s=%s is accepted: %s', (name, value, isAccepted) => {
    expect(faultsOf({ [name]: value }).map((fault) => fault.variable)).toEqual(
      isAccepted ? [] : [name],
    );
  });

  it.each<[string, Environment, string[]]>([
    ['both listeners on one port', { MSK_PORT: '42999' }, ['MSK_REPLICATION_PORT']],
    ['any free port for both', { MSK_PORT: '0', MSK_REPLICATION_PORT: '0' }, []],
    ['a replica, which only connects', { ...REPLICA, MSK_PORT: '42999' }, []],
    [
      'backups in the store',
      { MSK_GRAPH_BACKUP_FOLDER: './data/backups' },
      ['MSK_GRAPH_BACKUP_FOLDER'],
    ],
    ['backups as the store', { MSK_GRAPH_BACKUP_FOLDER: 'data' }, ['MSK_GRAPH_BACKUP_FOLDER']],
    ['backups in a bucket, without its key', { MSK_GRAPH_BACKUP_FOLDER: 's3://b-1' }, S3_KEYS],
    ['backups beside the store', { MSK_GRAPH_BACKUP_FOLDER: './data-backups' }, []],
    ['backups in a folder of dots', { MSK_GRAPH_BACKUP_FOLDER: '..backups' }, []],
    ['a replica without a key', { ...REPLICA, MSK_JWT_KEY: '' }, ['MSK_JWT_KEY']],
    [
      'a replica without a primary',
      { ...REPLICA, MSK_PRIMARY_ADDRESS: '' },
      ['MSK_PRIMARY_ADDRESS'],
    ],
    [
      'a replica in the default folder',
      { ...REPLICA, MSK_GRAPH_STORAGE: '' },
      ['MSK_GRAPH_STORAGE'],
    ],
    ['a replica nobody can call', { ...REPLICA, MSK_PUBLIC_ADDRESS: '' }, []],
  ])('between variables: %s', (_, env, expected) => {
    expect(faultsOf(env).map((fault) => fault.variable)).toEqual(expected);
  });

  it('starts no preview that could act for the workspace that it is a copy of', () => {
    const preview = { TRELLIS_PREVIEW: 'closed', MSK_ADMIN_PASSWORD: 'correct horse battery' };
    expect(readConfig(preview).config.preview).toBe('closed');
    for (const name of ['MSK_GRAPH_BACKUP_FOLDER', 'MSK_SMTP_URL', 'MSK_REPLICA']) {
      const value = name === 'MSK_REPLICA' ? 'true' : 'smtp://localhost';
      const named = faultsOf({ ...preview, [name]: value }).map(({ variable }) => variable);
      expect(named).toContain(name);
    }
    const [fault] = faultsOf({ TRELLIS_PREVIEW: 'closed' });
    expect(fault?.variable).toBe('MSK_ADMIN_PASSWORD');
  });

  it('falls back to the public address, unless the internal one was blanked on purpose', () => {
    const { MSK_PUBLIC_ADDRESS: url } = REPLICA;
    expect(readConfig(REPLICA).config.serverAddress).toBe(url);
    const blanked = readConfig({ ...REPLICA, MSK_SERVER_ADDRESS: '' });
    expect(blanked.config).toMatchObject({ publicAddress: url, serverAddress: null });
    expect(blanked.warnings).toEqual([expect.stringContaining('MSK_SERVER_ADDRESS is empty')]);
  });

  it.each<[Environment, string]>([
    [{ MSK_PROT: '80' }, 'MSK_PROT is not a known variable; the nearest one is MSK_PORT.'],
    [{ MSK_LICENCE: 'x' }, 'the nearest one is MSK_LICENSE.'],
    [
      { MSK_ADMIN_PASSWORD: 'x'.repeat(PASSWORD_CHARACTERS_MIN - 1) },
      'MSK_ADMIN_PASSWORD has fewer than 10 characters',
    ],
    [{ MSK_LICENSE: 'a.b.c' }, 'MSK_LICENSE cannot be verified'],
    [{ MSK_PRIMARY_ADDRESS: 'http://p' }, 'MSK_PRIMARY_ADDRESS is ignored'],
    [{ ...REPLICA, MSK_PUBLIC_ADDRESS: '' }, 'MSK_PUBLIC_ADDRESS is empty'],
    [
      { ...REPLICA, MSK_LICENSE: '', MSK_LICENSE_PUBLIC_KEY: '' },
      'a replica needs one with the feature Replicas',
    ],
  ])('warns about %j', (env, sentence) => {
    const { warnings } = readConfig(env);
    expect(warnings).toEqual([expect.stringContaining(sentence)]);
  });

  it('leaves names of others alone', () => {
    expect(
      readConfig({ PATH: '/bin', OTEL_SDK_DISABLED: 'true', TRELLIS_X: '1' }).warnings,
    ).toEqual([]);
  });

  it('makes a member of a process with a log in PostgreSQL', () => {
    const env = { MSK_LOG: 'postgres://t:pw@db/t', MSK_JWT_KEY: 'k'.repeat(32) };
    const { config, secrets } = readConfig(env);
    expect(config).toMatchObject({
      role: 'primary',
      member: { workspace: 'main', name: null },
      replication: { port: 0 },
    });
    expect(secrets.sharedLog).toBe(env.MSK_LOG);
    const named = { MSK_WORKSPACE: 'two', MSK_MEMBER: 'b:81', MSK_REPLICATION_PORT: '4300' };
    expect(readConfig({ ...env, ...named }).config).toMatchObject({
      member: { workspace: 'two', name: 'b:81' },
      replication: { port: 4_300 },
    });
  });

  it.each([
    [
      { MSK_REPLICA: 'true', MSK_PRIMARY_ADDRESS: 'http://p', MSK_GRAPH_STORAGE: 'x' },
      'MSK_REPLICA',
    ],
    [{ MSK_JWT_KEY: '' }, 'MSK_JWT_KEY'],
    [{ MSK_LOG: 'mysql://t:pw@db/t' }, 'MSK_LOG'],
    [{ MSK_WORKSPACE: 'Main' }, 'MSK_WORKSPACE'],
    [{ MSK_MEMBER: 'a b' }, 'MSK_MEMBER'],
    [{ TRELLIS_PREVIEW: 'closed', MSK_ADMIN_PASSWORD: 'a long one' }, 'MSK_LOG'],
  ])('refuses a member with %j', (more, variable) => {
    const env = { MSK_LOG: 'postgres://t:pw@db/t', MSK_JWT_KEY: 'k'.repeat(32), ...more };
    const reading = (): unknown => readConfig(env);
    expect(reading).toThrow(new RegExp(`^.*${variable} `, 'm'));
    expect(reading).not.toThrow(/pw@db/);
  });

  it('keeps secrets out of the settings', () => {
    const secretNames = Object.entries(variables).filter(([, row]) => 'secret' in row);
    const env = Object.fromEntries(
      secretNames.map(([name]) => [
        name,
        { MSK_SMTP_URL: 'smtp://marked.example', MSK_LOG: 'postgres://marked' }[name] ??
          `marked-${name}`.padEnd(32, '-'),
      ]),
    );
    const { config, secrets, warnings } = readConfig(env);
    expect(secretNames).toHaveLength(Object.keys(secrets).length);
    expect(Object.values(secrets)).toEqual(expect.arrayContaining(Object.values(env)));
    expect(JSON.stringify([config, warnings])).not.toContain('marked');
  });
});

describe('addresses of proxies', () => {
  it.each([
    ['10.0.0.7', true],
    ['10.0.0.0/8;::1;2001:db8::/32', true],
    ['10.0.0.0/32, fd00::/128', true],
    ['10.0.0.0/33', false],
    ['fd00::/129', false],
    ['0.0.0.0/0', false],
    ['::/0', false],
    ['10.0.0', false],
    ['loopback', false],
    ['proxy.example', false],
    ['fe80::1%eth0', false],
    ['10.0.0.0/8/8', false],
    ['10.0.0.7:8080', false],
  ])('MSK_TRUSTED_PROXIES=%s is accepted: %s', (value, isAccepted) => {
    expect(faultsOf({ MSK_TRUSTED_PROXIES: value })).toHaveLength(isAccepted ? 0 : 1);
  });

  it('and a redirect to HTTPS do not go with a public address without TLS', () => {
    const env = { MSK_REDIRECT_TO_HTTPS: 'true', MSK_TRUSTED_PROXIES: '10.0.0.7' };
    const { warnings } = readConfig({ ...env, MSK_PUBLIC_ADDRESS: 'http://x.example' });
    expect(warnings).toEqual([expect.stringContaining('MSK_PUBLIC_ADDRESS is an http URL')]);
  });

  it('are missed where there is a proxy', () => {
    for (const name of ['MSK_USE_HSTS', 'MSK_REDIRECT_TO_HTTPS']) {
      const { warnings } = readConfig({ [name]: 'true' });
      expect(warnings).toEqual([expect.stringContaining('MSK_TRUSTED_PROXIES is not set')]);
      expect(readConfig({ [name]: 'true', MSK_TRUSTED_PROXIES: '::1' }).warnings).toEqual([]);
    }
  });
});

describe('variables that are keys', () => {
  it.each<[string, string, boolean]>([
    ['MSK_JWT_KEY', 'k'.repeat(KEY_BYTES_MIN - 1), false],
    ['MSK_JWT_KEY', 'k'.repeat(KEY_BYTES_MIN), true],
    ['MSK_JWT_KEY', 'é'.repeat(KEY_BYTES_MIN / 2), true],
    ['MSK_GRAPH_MASTER_KEY', 'k'.repeat(KEY_BYTES_MIN - 1), false],
    ['MSK_GRAPH_MASTER_KEY', 'k'.repeat(KEY_BYTES_MIN), true],
  ])('%s=%s is accepted: %s', (name, value, isAccepted) => {
    expect(faultsOf({ [name]: value }).map((fault) => fault.variable)).toEqual(
      isAccepted ? [] : [name],
    );
  });

  it('tells how to make a key that is long enough, and not the one that is too short', () => {
    const faults = faultsOf({ MSK_JWT_KEY: 'hunter2', MSK_GRAPH_MASTER_KEY: 'hunter3' });
    const { message } = new ConfigError(faults);
    expect(message.match(/openssl rand -base64 32/g)).toHaveLength(2);
    expect(message).not.toMatch(/hunter/);
  });

  it('takes a short master key where it opens what an older version wrote', () => {
    const env = { MSK_GRAPH_MASTER_KEY: 'a short one' };
    expect(readConfig(env, { opensOlder: true }).secrets.graphMasterKey).toBe('a short one');
    const short = { ...env, MSK_JWT_KEY: 'short too' };
    expect(() => readConfig(short, { opensOlder: true })).toThrow(
      /^1 setting is wrong:\s+MSK_JWT_KEY/,
    );
  });
});

it.each([
  ['MSK_GRAPH_MEMORY', '1', true],
  ['MSK_GRAPH_MEMORY', '0', false],
  ['MSK_SEARCH_MEMORY_MB', '1', true],
  ['MSK_SEARCH_MEMORY_MB', '0', false],
  ['MSK_SEARCH_MEMORY_MB', '1.5', false],
  ['MSK_SEARCH_BUILD_THREADS', '1', true],
  ['MSK_SEARCH_BUILD_THREADS', '64', true],
  ['MSK_SEARCH_BUILD_THREADS', '65', false],
  ['MSK_SEARCH_BUILD_THREADS', '0', false],
  ['MSK_SEARCH_BUILD_THREADS', 'all', false],
])('%s=%s is accepted: %s', (name, value, isAccepted) => {
  const read = (): unknown => {
    try {
      return readConfig({ [name]: value }).warnings;
    } catch (error) {
      return String(error);
    }
  };
  const refusal = expect.stringContaining(`${name} is "${value}", which is no number of`);
  expect(read()).toEqual(isAccepted ? [] : refusal);
});

/** The faults of an environment; none when it is accepted. */
function faultsOf(env: Environment): readonly ConfigFault[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}
