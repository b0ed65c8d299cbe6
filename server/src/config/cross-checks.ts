import { relative, sep } from 'node:path';
import { PASSWORD_CHARACTERS_MIN } from '@trellis/contract/limits.ts';
import type { Config } from './config.ts';
import type { ConfigFault } from './config-error.ts';
import type { Values, VariableName } from './variables.ts';

/** Settings that are each well-formed but cannot hold together (specification, section 2.9). */
export function faultsBetween(
  values: Values,
  isSet: (name: VariableName) => boolean,
): ConfigFault[] {
  const faults: ConfigFault[] = [];
  if (values.MSK_REPLICA) faults.push(...replicaFaults(isSet));
  if (!values.MSK_REPLICA && values.MSK_PORT !== 0) {
    if (values.MSK_REPLICATION_PORT === values.MSK_PORT) {
      faults.push({
        variable: 'MSK_REPLICATION_PORT',
        problem: `is ${values.MSK_PORT}, the same as MSK_PORT`,
        remedy: 'Give each listener a port of its own.',
      });
    }
  }
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

function replicaFaults(isSet: (name: VariableName) => boolean): ConfigFault[] {
  const needed: ConfigFault[] = [
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
export function warningsOf(values: Values, config: Config): string[] {
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
