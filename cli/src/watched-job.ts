import type { JobWithLog } from '@trellis/contract/shapes/job.ts';
import type { CommandContext } from './command-context.ts';
import { CommandFailure } from './failure.ts';
import { ProgressLine } from './progress-bar.ts';

/** Shows how far a job is until it has ended. Throws unless it has succeeded. */
export async function succeededJob(
  { client, terminal }: Pick<CommandContext, 'client' | 'terminal'>,
  id: string,
): Promise<JobWithLog> {
  const { signal } = terminal;
  const line = new ProgressLine(terminal.stderr);
  for await (const event of client.jobs.watch(id, { signal })) {
    if (event.kind === 'job') line.update(event.job.progress, event.job.step);
  }
  line.clear();
  const job = await client.jobs.get(id, { signal });
  if (job.state === 'succeeded') return job;
  const { code = job.state, message = `The job ${job.id} is ${job.state}.` } = job.error ?? {};
  throw new CommandFailure(message, { code });
}
