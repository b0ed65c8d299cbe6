import type { HealthReason } from './shapes/health.ts';

export interface HealthAdvice {
  readonly meaning: string;
  readonly remedy: string;
}

/** What a part's reason means, and what to do, for whoever looks after the server. */
export const HEALTH_ADVICE: Readonly<Record<HealthReason, HealthAdvice>> = {
  disk_low: {
    meaning: 'The disk of the storage folder is nearly full.',
    remedy: 'Make room on the disk of the storage folder: writes are refused when it is full.',
  },
  disk_unreadable: {
    meaning: 'The disk of the storage folder does not answer.',
    remedy: 'Mount the disk of the storage folder again, and restart the server.',
  },
  folder_not_writable: {
    meaning: 'The server may not write in the storage folder.',
    remedy: 'Give the server back its rights on the storage folder.',
  },
  store_outdated: {
    meaning: 'An older version encrypted the store: two copies of its files give text away.',
    remedy: 'Stop the server and rewrite the store: trellis storage rotate-key.',
  },
  storage_damaged: {
    meaning: 'A scrub found that something stored is not what was written.',
    remedy: 'Read the last run of "storage-scrub": it names each damage and what to do about it.',
  },
  last_write_failed: {
    meaning: 'What was written last could not be stored.',
    remedy: 'Read the log for the reason, make room, or replace the disk; then write again.',
  },
  thread_restarting: {
    meaning: 'A thread ended and is started again.',
    remedy: 'Nothing for now; when it comes again, read the log for the reason.',
  },
  thread_ended: {
    meaning: 'A thread ended again and again, and is not started any more.',
    remedy: 'Read the log for the reason, and restart the server.',
  },
  port_not_open: {
    meaning: 'The port for replicas could not be opened.',
    remedy: 'Free the port of MSK_REPLICATION_PORT or set another one, and restart the server.',
  },
  primary_not_connected: {
    meaning: 'This replica has no connection to its primary.',
    remedy: 'See that the primary runs and that its replication port can be reached from here.',
  },
  log_not_reached: {
    meaning: 'PostgreSQL, which holds the commit log, does not answer.',
    remedy: 'See that PostgreSQL runs and that MSK_LOG reaches it: writes are refused meanwhile.',
  },
  no_standby: {
    meaning: 'PostgreSQL waits for no standby: what its one disk loses is lost.',
    remedy: 'Set synchronous_standby_names in PostgreSQL to the name of a standby.',
  },
  no_worker: {
    meaning: 'No worker runs the code of endpoints.',
    remedy: 'Read the log for the reason; memory may be short.',
  },
  workers_stalled: {
    meaning: 'Code of endpoints does not come back.',
    remedy: 'Find the endpoint whose code does not end: "trellis endpoint metrics".',
  },
  process_failed: {
    meaning: 'A process that the server needs has ended.',
    remedy: 'Read the log for the reason; memory may be short.',
  },
  provider_failing: {
    meaning: 'A provider of models does not answer as it should.',
    remedy: 'Look at the providers of models: their state, keys and limits.',
  },
  file_not_written: {
    meaning: 'The files of the log cannot be written.',
    remedy: 'Give the server back its rights on MSK_LOG_PATH, or make room there.',
  },
};
