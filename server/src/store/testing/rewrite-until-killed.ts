import { must } from '#base/assert.ts';
import { TestClock } from '#log/testing/log-engine.ts';
import { rewriteStore } from '../care/rewrite-store.ts';

/**
 * A process that rewrites a store and is killed before the step with the given number. Progress in
 * copying counts as steps too. If it is not killed, it prints how many steps it took.
 */
const [storage, masterKey = '', newMasterKey = '', killAt = ''] = process.argv.slice(2);
let steps = 0;
const next = (): void => {
  if (++steps === Number(killAt)) process.kill(process.pid, 'SIGKILL');
};
await rewriteStore({
  storage: must(storage, 'the storage folder'),
  masterKey: masterKey === '' ? undefined : masterKey,
  ...(newMasterKey === '' ? {} : { newMasterKey }),
  clock: new TestClock(),
  onStep: next,
  onProgress: next,
});
process.stdout.write(String(steps));
