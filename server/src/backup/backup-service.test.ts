import { expect, it } from 'vitest';
import { JobRegistry } from '#jobs/job-registry.ts';
import { TestClock } from '#log/testing/log-engine.ts';
import { temporaryFolder } from '#log/testing/temporary-folder.ts';
import { writeHeader, type BackupHeader } from './backup-header.ts';
import { BackupService, type BackupWork } from './backup-service.ts';
import { FolderTarget } from './folder-target.ts';
import type { WorkProgress } from './work-progress.ts';

const AT = '2026-11-21T18:40:00.000Z';
const HEADER: BackupHeader = {
  format: 1,
  id: '20261121T184000000Z-0f3a9c21',
  createdAt: AT,
  completedAt: AT,
  sequence: 7,
  snapshotSequence: 7,
  epoch: '0'.repeat(32),
  version: '26.11.0',
  isEncrypted: false,
  nodes: 2,
  edges: 1,
  bytes: 300,
  newBytes: 300,
  hasLog: false,
  contents: '0'.repeat(64),
};

/** Work that ends when the test says so. */
class SteeredWork implements BackupWork {
  readonly ending = Promise.withResolvers<BackupHeader>();
  progress: WorkProgress | undefined;

  async run(progress: WorkProgress): Promise<BackupHeader> {
    this.progress = progress;
    progress.signal.addEventListener('abort', () => this.ending.reject(progress.signal.reason));
    return await this.ending.promise;
  }

  async verify(_id: string, progress: WorkProgress): Promise<void> {
    await this.run(progress);
  }

  async remove(): Promise<void> {
    await this.ending.promise;
  }
}

async function scene() {
  const folder = await temporaryFolder();
  const jobs = new JobRegistry({
    clock: new TestClock(),
    store: undefined,
    redact: (text) => text,
  });
  const target = new FolderTarget(folder.path);
  const work = new SteeredWork();
  let changes = 0;
  const service = new BackupService({
    configured: { target, work },
    jobs,
    onChange: () => void changes++,
  });
  await writeHeader(target, HEADER);
  return {
    jobs,
    work,
    service,
    changes: () => changes,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const BUSY = { code: 'backup_running' };

it('does one thing at a time, and tells of it as a job', async () => {
  await using at = await scene();
  const { service, work, jobs } = at;
  const { job, done } = service.run();
  expect(job).toMatchObject({ kind: 'backup', state: 'running', isCancellable: true });
  expect(() => service.run()).toThrow(expect.objectContaining(BUSY));
  await expect(service.verify(HEADER.id)).rejects.toMatchObject(BUSY);
  await expect(service.remove(HEADER.id)).rejects.toMatchObject(BUSY);
  work.progress!.report(0.5, 'Reading');
  work.progress!.log('a line');
  work.ending.resolve(HEADER);
  expect(await done).toEqual(HEADER);
  const viewer = { userUid: null, isAdmin: true, isReadOnlyAdmin: true, scopes: [] };
  expect(jobs.get(viewer, job.id)).toMatchObject({
    state: 'succeeded',
    progress: 1,
    log: [{ text: 'a line' }, { text: expect.stringContaining('2 nodes and 1 edges') }],
  });
  expect(at.changes()).toBe(1);
  expect(service.run().job.state).toBe('running');
});

it('goes on after a deletion, a cancellation and a failure', async () => {
  await using at = await scene();
  const { service, work, jobs } = at;
  const removing = service.remove(HEADER.id);
  expect(() => service.run()).toThrow(expect.objectContaining(BUSY));
  work.ending.resolve(HEADER);
  await removing;
  await expect(service.remove('none')).rejects.toMatchObject({ code: 'backup_not_found' });

  const cancelled = new SteeredWork();
  work.verify = (id, progress) => cancelled.verify(id, progress);
  const job = await service.verify(HEADER.id);
  const viewer = { userUid: null, isAdmin: true, isReadOnlyAdmin: false, scopes: [] };
  jobs.cancel(viewer, job.id);
  await expect.poll(() => jobs.get(viewer, job.id).state).toBe('cancelled');

  work.run = () => Promise.reject(new Error('the disk is gone'));
  const { job: failing, done } = service.run();
  await expect(done).rejects.toThrow('the disk is gone');
  expect(jobs.get(viewer, failing.id)).toMatchObject({
    state: 'failed',
    error: { message: 'the disk is gone' },
  });
  await expect(service.verify('none')).rejects.toMatchObject({ code: 'backup_not_found' });
});
