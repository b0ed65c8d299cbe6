import { editDistance } from '#base/edit-distance.ts';
import type { Config, Secrets } from './config.ts';
import { ConfigError, type ConfigFault } from './config-error.ts';
import { faultsBetween, warningsOf } from './cross-checks.ts';
import { parsers, ValueFault } from './parsers.ts';
import { variables, type Values, type Variable, type VariableName } from './variables.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads every variable of the table. A variable set to nothing counts as not set. Throws a
 * `ConfigError` with every fault; `warnings` has a sentence for each setting that is odd but
 * harmless. With `opensOlder`, the master key may be as short as older versions accepted.
 */
export function readConfig(
  env: Environment,
  { opensOlder = false }: { readonly opensOlder?: boolean } = {},
): {
  config: Config;
  secrets: Secrets;
  warnings: string[];
} {
  const { values, faults } = readValues(env, opensOlder ? OLDER_TYPES : {});
  faults.push(...faultsBetween(values, (name) => isSet(env, name)));
  if (faults.length > 0) throw new ConfigError(faults, unknownNames(env));
  const config = configOf(values, env);
  return {
    config,
    secrets: {
      jwtKey: values.MSK_JWT_KEY,
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
    searchMemoryMb: values.MSK_SEARCH_MEMORY_MB,
    searchBuildThreads: values.MSK_SEARCH_BUILD_THREADS,
    replication: {
      host: values.MSK_REPLICATION_HOST ?? values.MSK_HOST,
      port: values.MSK_REPLICATION_PORT,
      primaryAddress,
    },
    log: { level: values.MSK_LOG_LEVEL, folder: values.MSK_LOG_PATH },
    licensePublicKey: values.MSK_LICENSE_PUBLIC_KEY,
    sampleGraph: values.TRELLIS_SAMPLE === 'wordnet' ? 'wordnet' : 'none',
    frontEndFolder: values.TRELLIS_FRONT_END,
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

/** The known name with the fewest letters to insert, delete or replace; the first of equals. */
function nearestName(name: string, known: readonly string[]): string {
  const distances = known.map((candidate) => editDistance(name, candidate));
  return known[distances.indexOf(Math.min(...distances))] ?? '';
}

function isSet(env: Environment, name: VariableName): boolean {
  return (env[name] ?? '').trim() !== '';
}
