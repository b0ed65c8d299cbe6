/** Numbers as IMAP writes a set of them: `1:5,7`. So a cursor holds a large folder in few bytes. */
export function writeRanges(numbers: Iterable<number>): string {
  const ranges: [first: number, last: number][] = [];
  for (const number of [...numbers].toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && number <= last[1] + 1) last[1] = Math.max(last[1], number);
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}:${last}`)).join();
}

export function readRanges(text: string): Set<number> {
  const numbers = new Set<number>();
  for (const range of text === '' ? [] : text.split(',')) {
    const [first = '', last = first] = range.split(':');
    for (let number = Number(first); number <= Number(last); number++) numbers.add(number);
  }
  return numbers;
}
