import { must } from '../server/src/base/assert.ts';
import { DiskLog, mediumAfter } from './disk-log.ts';
import { replay } from './followed-state.ts';
import type { Host } from './host.ts';
import type { SimulatedProcess } from './process.ts';

/**
 * As `promoteStore` and `promoteReplica`, with a crash possible between any two steps: the next
 * call then finishes it.
 */
export async function promote(host: Host, process: SimulatedProcess): Promise<void> {
  const { disk, world } = host;
  if (!disk.isOfReplica) return;
  const files = must(disk.state, 'a replica to promote has a state');
  const step = (label: string): Promise<void> => process.wait(disk.syncMs(), label);
  const isPromoted = disk.log !== undefined && disk.log.epoch !== files.live.epoch;
  if (!isPromoted) {
    if (disk.log !== undefined) {
      const log = new DiskLog({ disk, process, clock: world.scheduler, medium: disk.log });
      await replay(disk, log);
      files.flush();
      await step('replays its log');
      disk.log = undefined;
      await step('removes its log');
    }
    const epoch = world.newEpoch();
    world.history.branch(epoch, files.live);
    disk.log = mediumAfter(epoch, files.live.sequence);
    await step('begins a log');
  }
  const { epoch } = (disk.log ??= mediumAfter(files.live.epoch, files.live.sequence));
  files.write({ ...files.live, epoch });
  files.flush();
  await step('adopts the epoch');
  disk.isOfReplica = false;
  world.history.promoted(files.live);
}
