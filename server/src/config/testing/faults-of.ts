import { ConfigError, type ConfigFault } from '../config-error.ts';
import { readConfig, type Environment } from '../read-config.ts';

/** What is wrong with an environment; nothing when it is accepted. */
export function faultsOf(env: Environment): readonly ConfigFault[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}
