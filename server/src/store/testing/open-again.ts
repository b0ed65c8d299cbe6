import { openSnapshotReader } from '../snapshot-reader.ts';

/**
 * The program of another process: opens and closes the state in the folder of its argument each
 * time it is asked, and answers with the sequence that it saw.
 */
const storage = process.argv[2] ?? '';

process.on('message', () => {
  using reader = openSnapshotReader({ storage, environments: ['graph'] });
  process.send?.(reader.refresh());
});
