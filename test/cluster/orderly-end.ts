import type { ServerProcess } from './server-process.ts';

/** 0xDEAD, of which Linux keeps the last byte (specification, section 7). */
export const EXIT_REPLICA_FAILED = 173;
/** What may end a replica when its network and its primary fail: never its own state. */
const EXPECTED =
  /"code":"(replication_unavailable|replication_corrupt|replica_not_registered|replication_epoch_differs|log_trimmed|log_ahead|snapshot_corrupt)"/;

/** Throws when a server has ended by itself for a reason that no fault of others explains. */
export function expectOrderlyEnd({ exit, log }: ServerProcess): void {
  if (exit === undefined || exit.code === 0) return;
  // From the test; before it listens for them a SIGTERM does what it does to anybody.
  if (exit.signal === 'SIGKILL' || exit.signal === 'SIGTERM') return;
  if (exit.code === EXIT_REPLICA_FAILED && EXPECTED.test(log)) return;
  throw new Error(`a server ended by itself with ${exit.code ?? exit.signal}:\n${log}`);
}
