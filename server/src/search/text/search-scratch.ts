import { Candidates } from './candidates.ts';
import { ScoreWindow } from './score-window.ts';

/** Handed on to collectors at a time. */
const MATCHES = 1_024;

/** Memory that one search works in. To make it takes longer than many a search, so that it is used again. */
export class SearchScratch {
  readonly candidates = new Candidates();
  readonly window = new ScoreWindow();
  readonly matches = new Uint32Array(MATCHES);
}
