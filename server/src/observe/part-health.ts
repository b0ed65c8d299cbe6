/** Why a part is not well: see `HEALTH_REASONS` in contract/src/shapes/health.ts. */
export type HealthReason =
  | 'disk_low'
  | 'disk_unreadable'
  | 'folder_not_writable'
  | 'store_outdated'
  | 'storage_damaged'
  | 'last_write_failed'
  | 'thread_restarting'
  | 'thread_ended'
  | 'port_not_open'
  | 'primary_not_connected'
  | 'no_worker'
  | 'workers_stalled'
  | 'process_failed'
  | 'provider_failing'
  | 'file_not_written';

export type PartName =
  | 'disk'
  | 'storage'
  | 'writer'
  | 'replication'
  | 'index'
  | 'endpoints'
  | 'compiler'
  | 'models'
  | 'logs';

export interface PartState {
  /** `degraded`: it works, but not as it should; `failed`: it does not work; `off`: it is not set up. */
  readonly status: 'ok' | 'starting' | 'degraded' | 'failed' | 'off';
  /** Of a part that is degraded or failed; null of any other. */
  readonly reason: HealthReason | null;
}

/** How a part is. Cheap, and bounded in time: anybody may ask as often as they like. */
export type Probe = () => PartState | Promise<PartState>;

/** Those that a server of its role has. */
export type Probes = Readonly<Partial<Record<PartName, Probe>>>;

export const OK: PartState = { status: 'ok', reason: null };
export const STARTING: PartState = { status: 'starting', reason: null };
export const OFF: PartState = { status: 'off', reason: null };

export function degraded(reason: HealthReason): PartState {
  return { status: 'degraded', reason };
}

export function failed(reason: HealthReason): PartState {
  return { status: 'failed', reason };
}
