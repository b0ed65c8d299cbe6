/** Enough that few windows are opened for words that are rare, which takes longer than to score what is in them. */
export const WINDOW_DOCUMENTS = 32_768;

/** Documents of a segment that may be hits, ascending, with what is known of their scores. Used for many batches. */
export class Candidates {
  size = 0;
  /** Whether scores are of use; where they are not, none are computed. */
  isScored = true;
  readonly documents = new Uint32Array(WINDOW_DOCUMENTS);
  readonly scores = new Float64Array(WINDOW_DOCUMENTS);

  /** Keeps those with a score of at least `minimum`. */
  keepFrom(minimum: number): void {
    const { documents, scores, size } = this;
    let kept = 0;
    for (let i = 0; i < size; i++) {
      const score = scores[i]!;
      if (score < minimum) continue;
      documents[kept] = documents[i]!;
      scores[kept++] = score;
    }
    this.size = kept;
  }
}
