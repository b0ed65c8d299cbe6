interface MarkedTextProps {
  readonly text: string;
  /** What is marked, in UTF-16 units; in the order of the text. */
  readonly matches: readonly { readonly start: number; readonly end: number }[];
}

/** A text with the words that were found in it. */
export function MarkedText({ text, matches }: MarkedTextProps) {
  const ends = [0, ...matches.map(({ end }) => end)];
  return (
    <bdi>
      {matches.map(({ start, end }, i) => (
        <span key={start}>
          {text.slice(ends[i], start)}
          <mark className="rounded-sm bg-mark px-px text-ink">{text.slice(start, end)}</mark>
        </span>
      ))}
      {text.slice(ends.at(-1))}
    </bdi>
  );
}
