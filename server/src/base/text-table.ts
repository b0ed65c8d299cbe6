/**
 * Columns under headings, each as wide as it needs to be; numbers are grouped by thousands and
 * stand to the right. Every line ends with a newline.
 */
export function textTable(
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const cells = rows.map((row) =>
    row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en') : cell)),
  );
  const isNumeric = headings.map(
    (_, i) => rows.length > 0 && rows.every((row) => typeof row[i] === 'number'),
  );
  const lines = [headings, ...cells];
  const widths = headings.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  const aligned = lines.map((line) =>
    line
      .map((cell, i) =>
        isNumeric[i] ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  return `${aligned.join('\n')}\n`;
}
