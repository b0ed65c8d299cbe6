import { Candidates } from './candidates.ts';
import { ScoreWindow } from './score-window.ts';

/** Memory that one search works in. To make it takes longer than many a search, so that it is used again. */
export class SearchScratch {
  readonly candidates = new Candidates();
  readonly window = new ScoreWindow();
}
