/** One comparison of a run: what was measured, against what, and what it must reach. */
export interface Finding {
  readonly what: string;
  readonly ours: string;
  readonly others: readonly string[];
  readonly ratio: string;
  readonly target: string;
  readonly reached: boolean;
}

export class Report {
  readonly #findings: Finding[] = [];

  add(finding: Finding): void {
    this.#findings.push(finding);
    const mark = finding.reached ? 'reached' : 'MISSED';
    process.stdout.write(
      `${finding.what}\n    ours ${finding.ours}; ${finding.others.join('; ')}\n` +
        `    ratio ${finding.ratio}, target ${finding.target}: ${mark}\n`,
    );
  }

  finish(): void {
    const missed = this.#findings.filter((finding) => !finding.reached);
    process.stdout.write(
      `\n${this.#findings.length - missed.length} of ${this.#findings.length} targets reached\n`,
    );
    for (const finding of missed) process.stdout.write(`  missed: ${finding.what}\n`);
  }
}
