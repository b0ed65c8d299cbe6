import { unavailable } from './channel-problem.ts';
import type { AnsweredCall } from './primary-calls.ts';
import { readDigests } from './primary-copy.ts';

/** A file of the primary's front ends by its digest (SHA-256, hexadecimal). */
export type FrontEndFileSource = (
  digest: string,
) => Uint8Array | undefined | Promise<Uint8Array | undefined>;

/** Sends the files asked for. Throws `replication_unavailable` for one of another front end than the primary has now. */
export async function sendFrontEndFiles(
  source: FrontEndFileSource,
  { request, sender }: Pick<AnsweredCall, 'request' | 'sender'>,
): Promise<void> {
  for (const digest of readDigests(request)) {
    const bytes = await source(digest);
    if (bytes === undefined) throw unavailable(`the front end has no file ${digest} any more`);
    await sender.send([bytes]);
  }
}
