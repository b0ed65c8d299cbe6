/**
 * The process that a test stops for longer than its lease lasts. It holds the lease of a workspace
 * and appends. It prints `last sequence` of each commit that was acknowledged, and `refused` with
 * the code once one is not.
 */
import { writeSync } from 'node:fs';
import { Problem } from '#base/problem.ts';
import { settings } from '../../testing/log-engine.ts';
import { openLog } from './postgres-workspaces.ts';

const [url = '', workspace = ''] = process.argv.slice(2);
const log = await openLog(url, workspace, settings());
try {
  for (;;) writeSync(1, `${await log.append(1, Buffer.from('from the first member'))}\n`);
} catch (error) {
  writeSync(1, `refused ${error instanceof Problem ? error.code : String(error)}\n`);
}
process.exit();
