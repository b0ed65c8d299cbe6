import { must } from '#base/assert.ts';
import { TestClock } from '#log/testing/log-engine.ts';
import { rewriteStore } from '../care/rewrite-store.ts';

/**
 * A process that rewrites a store and is killed before the step of the given number, or after it
 * has come so far in copying. It prints how many steps it has taken when it was not.
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
