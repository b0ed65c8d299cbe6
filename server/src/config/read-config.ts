import { relative, sep } from 'node:path';
import { PASSWORD_CHARACTERS_MIN } from '@trellis/contract/limits.ts';
import type { Config, Secrets } from './config.ts';
import { ConfigError, type ConfigFault, type Environment } from './config-error.ts';
import { parsers, ValueFault } from './parsers.ts';
import { nearestName } from './settings-file.ts';
import { type Values, type Variable, type VariableName, variables } from './variables.ts';

export interface ReadingOptions {
  readonly opensOlder?: boolean;
  /** Where a value was set, by variable, if not in the environment; faults name it. */
  readonly origins?: ReadonlyMap<string, string> | undefined;
  /** Found before; told together with those of the values. */
  readonly faults?: readonly ConfigFault[];
}

/**
 * Reads every variable of the table. A variable set to nothing counts as not set. Throws a
 * `ConfigError` with every fault; `warnings` has a sentence for each setting that is odd but
 * harmless. With `opensOlder`, the master key may be as short as older versions accepted.
 */
export function readConfig(
  env: Environment,
  { opensOlder = false, origins, faults: earlier = [] }: ReadingOptions = {},
): {
  config: Config;
  secrets: Secrets;
  warnings: string[];
} {
  const { values, faults } = readValues(env, opensOlder ? OLDER_TYPES : {});
  faults.unshift(...earlier);
  faults.push(...faultsBetween(values, isSetIn(env)));
  if (faults.length > 0) throw new ConfigError(faults, { warnings: unknownNames(env), origins });
  const config = configOf(values, env);
  return {
    config,
    secrets: {
      jwtKey: values.MSK_JWT_KEY,
      sharedLog: values.MSK_LOG,
      graphMasterKey: values.MSK_GRAPH_MASTER_KEY,
      adminPassword: values.MSK_ADMIN_PASSWORD,
      backupAccessKey: values.MSK_GRAPH_BACKUP_S3_ACCESS_KEY,
      backupSecretKey: values.MSK_GRAPH_BACKUP_S3_SECRET_KEY,
      smtpUrl: values.MSK_SMTP_URL,
      license: values.MSK_LICENSE,
    },
    warnings: [...unknownNames(env), ...warningsOf(values, config)],
  };
}

/** How older versions read some variables. */
type OlderTypes = { readonly [Name in VariableName]?: Variable['type'] };
const OLDER_TYPES: OlderTypes = { MSK_GRAPH_MASTER_KEY: 'text' };

/**
 * A faulty variable gets its default in `values`, so that the checks between variables still run.
 */
function readValues(
  env: Environment,
  types: OlderTypes,
): { values: Values; faults: ConfigFault[] } {
  const faults: ConfigFault[] = [];
  const entries = Object.entries<Variable>(variables).map(([name, row]) => {
    const given = env[name] ?? '';
    const type = types[name as VariableName] ?? row.type;
    const parsed = given.trim() === '' ? undefined : parseAs({ ...row, type }, given);
    if (!(parsed instanceof ValueFault)) return [name, parsed ?? defaultOf(row)];
    faults.push({ variable: name as VariableName, problem: parsed.problem, remedy: parsed.remedy });
    return [name, defaultOf(row)];
  });
  return { values: Object.fromEntries(entries) as Values, faults };
}

/** A secret is taken as it is; other values lose the blanks around them. */
function parseAs(row: Variable, text: string): unknown {
  return parsers[row.type](row.secret === true ? text : text.trim());
}

function defaultOf(row: Variable): unknown {
  return row.default === null ? null : parsers[row.type](row.default);
}

function configOf(values: Values, env: Environment): Config {
  const isReplica = values.MSK_REPLICA;
  const primaryAddress = isReplica ? values.MSK_PRIMARY_ADDRESS : null;
  const origins = new Set(values.MSK_CORS);
  if (primaryAddress !== null) origins.add(new URL(primaryAddress).origin);
  // Set to nothing on purpose, the address makes registration fail (specification, section 3.1).
  const isBlanked = env['MSK_SERVER_ADDRESS']?.trim() === '';
  return {
    role: isReplica ? 'replica' : 'primary',
    http: {
      host: values.MSK_HOST,
      port: values.MSK_PORT,
      corsOrigins: [...origins],
      useHsts: values.MSK_USE_HSTS,
      redirectToHttps: values.MSK_REDIRECT_TO_HTTPS,
      trustedProxies: values.MSK_TRUSTED_PROXIES,
    },
    publicAddress: values.MSK_PUBLIC_ADDRESS,
    serverAddress: isBlanked ? null : (values.MSK_SERVER_ADDRESS ?? values.MSK_PUBLIC_ADDRESS),
    storageFolder: values.MSK_GRAPH_STORAGE,
    backup: {
      target: values.MSK_GRAPH_BACKUP_FOLDER,
      s3: {
        endpoint: values.MSK_GRAPH_BACKUP_S3_ENDPOINT,
        region: values.MSK_GRAPH_BACKUP_S3_REGION,
      },
      keep: {
        last: values.MSK_GRAPH_BACKUP_KEEP,
        days: values.MSK_GRAPH_BACKUP_KEEP_DAYS,
        weeks: values.MSK_GRAPH_BACKUP_KEEP_WEEKS,
      },
    },
    lowMemory: values.MSK_LOW_MEMORY,
    graphMemoryMb: values.MSK_GRAPH_MEMORY,
    searchMemoryMb: values.MSK_SEARCH_MEMORY_MB,
    searchBuildThreads: values.MSK_SEARCH_BUILD_THREADS,
    replication: {
      host: values.MSK_REPLICATION_HOST ?? values.MSK_HOST,
      // Members ask each other for the port: several may run on one machine.
      port:
        values.MSK_LOG !== null && !isSetIn(env)('MSK_REPLICATION_PORT')
          ? 0
          : values.MSK_REPLICATION_PORT,
      primaryAddress,
    },
    member:
      values.MSK_LOG === null ? null : { workspace: values.MSK_WORKSPACE, name: values.MSK_MEMBER },
    connectorRoots: values.MSK_CONNECTOR_ROOTS,
    log: { level: values.MSK_LOG_LEVEL, folder: values.MSK_LOG_PATH },
    endpointTraces: {
      share: values.MSK_ENDPOINT_TRACES / 100,
      keepsInputs: values.MSK_ENDPOINT_TRACE_INPUTS,
    },
    licensePublicKey: values.MSK_LICENSE_PUBLIC_KEY,
    sampleGraph: values.TRELLIS_SAMPLE === 'wordnet' ? 'wordnet' : 'none',
    frontEndFolder: values.TRELLIS_FRONT_END,
    oauthRegistration: values.MSK_OAUTH_REGISTRATION,
    preview: values.TRELLIS_PREVIEW,
  };
}

function unknownNames(env: Environment): string[] {
  const known = Object.keys(variables);
  return Object.keys(env)
    .filter((name) => name.startsWith('MSK_') && !known.includes(name))
    .toSorted()
    .map(
      (name) => `${name} is not a known variable; the nearest one is ${nearestName(name, known)}.`,
    );
}

function isSetIn(env: Environment): (name: VariableName) => boolean {
  return (name) => (env[name] ?? '').trim() !== '';
}

/** Settings that are each well-formed but cannot hold together (specification, section 2.9). */
function faultsBetween(values: Values, isSet: (name: VariableName) => boolean): ConfigFault[] {
  const faults: ConfigFault[] = [];
  if (values.MSK_REPLICA) faults.push(...replicaFaults(isSet));
  if (isSet('MSK_LOG')) faults.push(...memberFaults(values));
  if (!values.MSK_REPLICA && values.MSK_PORT !== 0) {
    if (values.MSK_REPLICATION_PORT === values.MSK_PORT) {
      faults.push({
        variable: 'MSK_REPLICATION_PORT',
        problem: `is ${values.MSK_PORT}, the same as MSK_PORT`,
        remedy: 'Give each listener a port of its own.',
      });
    }
  }
  if (values.TRELLIS_PREVIEW !== null) faults.push(...previewFaults(isSet));
  const backup = values.MSK_GRAPH_BACKUP_FOLDER;
  if (backup?.kind === 's3') faults.push(...s3Faults(isSet));
  if (backup?.kind === 'folder' && isWithin(backup.folder, values.MSK_GRAPH_STORAGE)) {
    faults.push({
      variable: 'MSK_GRAPH_BACKUP_FOLDER',
      problem: 'lies in MSK_GRAPH_STORAGE, so that backups would be lost with the store',
      remedy: 'Name a folder outside it, at best on another disk.',
    });
  }
  return faults;
}

function s3Faults(isSet: (name: VariableName) => boolean): ConfigFault[] {
  const names = ['MSK_GRAPH_BACKUP_S3_ACCESS_KEY', 'MSK_GRAPH_BACKUP_S3_SECRET_KEY'] as const;
  return names
    .filter((name) => !isSet(name))
    .map((variable) => ({
      variable,
      problem: 'is not set, but MSK_GRAPH_BACKUP_FOLDER is in an object store',
      remedy: 'Set the key that may read and write the bucket.',
    }));
}

/** What would let a preview act for the workspace that it is a copy of. */
function previewFaults(isSet: (name: VariableName) => boolean): ConfigFault[] {
  const names = ['MSK_REPLICA', 'MSK_LOG', 'MSK_GRAPH_BACKUP_FOLDER', 'MSK_SMTP_URL'] as const;
  const faults: ConfigFault[] = names.filter(isSet).map((variable) => ({
    variable,
    problem: 'is set together with TRELLIS_PREVIEW',
    remedy: 'A preview makes no backups, sends no mail and follows no primary.',
  }));
  if (isSet('MSK_ADMIN_PASSWORD')) return faults;
  const remedy = 'Start previews with "trellis preview", which sets it.';
  return [
    ...faults,
    { variable: 'MSK_ADMIN_PASSWORD', problem: 'is not set, but a preview needs it', remedy },
  ];
}

function memberFaults(values: Values): ConfigFault[] {
  const faults: ConfigFault[] = [];
  if (values.MSK_REPLICA) {
    faults.push({
      variable: 'MSK_REPLICA',
      problem: 'is set together with MSK_LOG',
      remedy: 'Unset it: members that are not the primary serve reads as replicas do.',
    });
  }
  if (values.MSK_JWT_KEY === null) {
    faults.push({
      variable: 'MSK_JWT_KEY',
      problem: 'is not set, but all members need the same one',
      remedy: 'Set a random one on every member: openssl rand -base64 32',
    });
  }
  return faults;
}

function replicaFaults(isSet: (name: VariableName) => boolean): ConfigFault[] {
  const needed: (ConfigFault & { readonly variable: VariableName })[] = [
    {
      variable: 'MSK_JWT_KEY',
      problem: 'is not set, but a common JWT key is mandatory for a replica',
      remedy: "Set the primary's value.",
    },
    {
      variable: 'MSK_PRIMARY_ADDRESS',
      problem: 'is not set, but a replica must know what to follow',
      remedy: 'Set the full URL of the primary.',
    },
    {
      variable: 'MSK_GRAPH_STORAGE',
      problem: 'is not set, but a replica keeps its copy of the graph there',
      remedy: 'Set a folder on a local disk, not that of the primary.',
    },
  ];
  return needed.filter(({ variable }) => !isSet(variable));
}

/** One sentence for each setting that is odd, or that will fail later with its own message. */
function warningsOf(values: Values, config: Config): string[] {
  const warnings: string[] = [];
  const password = values.MSK_ADMIN_PASSWORD;
  if (password !== null && password.length < PASSWORD_CHARACTERS_MIN) {
    warnings.push(
      `MSK_ADMIN_PASSWORD has fewer than ${PASSWORD_CHARACTERS_MIN} characters, so it can be guessed.`,
    );
  }
  if (values.MSK_LICENSE !== null && values.MSK_LICENSE_PUBLIC_KEY === null) {
    warnings.push('MSK_LICENSE cannot be verified without MSK_LICENSE_PUBLIC_KEY.');
  }
  if (values.MSK_REDIRECT_TO_HTTPS && config.publicAddress?.startsWith('http:') === true) {
    warnings.push('MSK_REDIRECT_TO_HTTPS is on, but MSK_PUBLIC_ADDRESS is an http URL.');
  }
  const isBehindProxy = values.MSK_USE_HSTS || values.MSK_REDIRECT_TO_HTTPS;
  if (isBehindProxy && values.MSK_TRUSTED_PROXIES.length === 0) {
    warnings.push(
      'MSK_TRUSTED_PROXIES is not set, so that everybody who comes through a proxy counts as one address.',
    );
  }
  if (config.role === 'primary') {
    if (values.MSK_PRIMARY_ADDRESS !== null) {
      warnings.push('MSK_PRIMARY_ADDRESS is ignored without MSK_REPLICA=true.');
    }
    return warnings;
  }
  if (config.publicAddress === null || config.serverAddress === null) {
    const empty = config.publicAddress === null ? 'MSK_PUBLIC_ADDRESS' : 'MSK_SERVER_ADDRESS';
    warnings.push(`${empty} is empty, so the primary will refuse to register this replica.`);
  }
  if (values.MSK_LICENSE === null) {
    warnings.push('MSK_LICENSE is not set, but a replica needs one with the feature Replicas.');
  }
  return warnings;
}

/** Whether `inner` is `outer` or lies below it, judged by the text of the paths alone. */
function isWithin(inner: string, outer: string): boolean {
  const way = relative(outer, inner);
  return (
    way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !/^[a-z]:|^[/\\]/i.test(way))
  );
}
