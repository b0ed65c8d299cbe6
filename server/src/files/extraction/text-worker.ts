import { parentPort, workerData } from 'node:worker_threads';
import { extractText } from './extract-text.ts';
import type { ExtractionAnswer, ExtractionRequest } from './extraction-messages.ts';

/** A message may quote the file: more of it is cut off. */
const FAILURE_CHARACTERS_MAX = 200;

async function answerTo({ kind, bytes }: ExtractionRequest): Promise<ExtractionAnswer> {
  try {
    return await extractText(kind, bytes);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { failure: why.slice(0, FAILURE_CHARACTERS_MAX).toWellFormed() };
  }
}

parentPort?.postMessage(await answerTo(workerData as ExtractionRequest));
