import { Problem } from '#base/problem.ts';
import { unlessAborted } from '#base/unless-aborted.ts';
import { errorCodeOf } from '@trellis/contract/errors.ts';
import { encodeJson } from './frame-stream.ts';
import { corrupt } from './channel-problem.ts';
import { readObject, text } from './message-shapes.ts';
import type { AnsweredCall } from './served-calls.ts';

/** A text whose vector a replica needs: the primary asks the provider, replicas do not. */
export interface EmbedRequest {
  readonly text: string;
  readonly model: string;
}

/**
 * The vector, little-endian 32-bit floats in Base64. What it rejects with is the same problem at
 * the replica.
 */
export type AnswerEmbed = (request: EmbedRequest) => Promise<string>;

export async function answerEmbed(
  answer: AnswerEmbed,
  { request, sender, signal }: Pick<AnsweredCall, 'request' | 'sender' | 'signal'>,
): Promise<void> {
  const value = readObject(request);
  const asked = { text: text(value, 'text'), model: text(value, 'model') };
  try {
    const vector = await unlessAborted(answer(asked), signal);
    await sender.send([encodeJson({ vector })]);
  } catch (error) {
    if (signal.aborted || !(error instanceof Problem)) throw error;
    await sender.send([encodeJson({ problem: error.toMessage() })]);
  }
}

/** Throws the problem that the primary answers with. */
export function readEmbedAnswer(bytes: Buffer): string {
  const answer = readObject(bytes);
  const problem = answer['problem'];
  if (problem === undefined) return text(answer, 'vector');
  if (typeof problem !== 'object' || problem === null) throw corrupt('a problem is no object');
  const { hint, details, ...rest }: { hint?: unknown; details?: unknown } = problem;
  throw Problem.fromMessage({
    code: errorCodeOf(text(rest, 'code'), 'internal_error'),
    message: text(rest, 'message'),
    hint: typeof hint === 'string' ? hint : undefined,
    details: typeof details === 'object' && details !== null ? { ...details } : undefined,
  });
}
