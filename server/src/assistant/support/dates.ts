/** A date, or a part of one: a day of a year, a month of a year, a day of any year. */
export interface DatePart {
  readonly year?: number;
  readonly month?: number;
  readonly day?: number;
}

/** A date in a text. `3/5/2019` can be read in two ways, so that it is one of several. */
export interface DateMention {
  readonly text: string;
  /** Where it stands. */
  readonly start: number;
  readonly readings: readonly DatePart[];
}

/** Whether `there` says all that `asked` says, in one of its readings. */
export function isSameDate(asked: DateMention, there: DateMention): boolean {
  return asked.readings.some((one) =>
    there.readings.some(
      (other) =>
        (one.year === undefined || one.year === other.year) &&
        (one.month === undefined || one.month === other.month) &&
        (one.day === undefined || one.day === other.day),
    ),
  );
}

/** Languages whose names of months are read. */
const LANGUAGES =
  'en de fr es it pt nl sv da nb fi pl cs sk hu ro ru uk bg tr el hr sl lt lv et ca'.split(' ');

/** By its name in lower case, long or short: the months that one of the languages calls so. */
const MONTHS: ReadonlyMap<string, ReadonlySet<number>> = monthNames();

function monthNames(): Map<string, Set<number>> {
  const months = new Map<string, Set<number>>();
  const forms: readonly Intl.DateTimeFormatOptions[] = [
    { month: 'long' },
    { month: 'short' },
    { month: 'long', day: 'numeric' },
  ];
  for (const language of LANGUAGES) {
    for (const form of forms) {
      const format = new Intl.DateTimeFormat(language, { ...form, timeZone: 'UTC' });
      for (let month = 1; month <= 12; month++) {
        const parts = format.formatToParts(Date.UTC(2001, month - 1, 15));
        const name = parts.find(({ type }) => type === 'month')?.value ?? '';
        const word = name.toLowerCase().replaceAll('.', '').normalize('NFC');
        if (/^\p{L}+$/u.test(word)) (months.get(word) ?? newEntry(months, word)).add(month);
      }
    }
  }
  for (const [word, month] of [
    ['sept', 9],
    ['mär', 3],
  ] as const)
    newEntry(months, word).add(month);
  return months;
}

function newEntry(months: Map<string, Set<number>>, word: string): Set<number> {
  const entry = months.get(word) ?? new Set<number>();
  months.set(word, entry);
  return entry;
}

export function isMonthName(word: string): boolean {
  return MONTHS.has(word.toLowerCase());
}

const YEAR = String.raw`(?<![\d.,])(?<year>[12]\d{3})(?![\d]|[.,]\d)`;
const DAY = String.raw`(?<day>0?[1-9]|[12]\d|3[01])`;
const WORD = String.raw`(?<word>\p{L}{3,12})\.?`;
const OF = String.raw`(?:\s(?:of|de|del|di|do|the))?`;

const NAMED: readonly RegExp[] = [
  // 5 March 2019, 5. März 2019, 5 de marzo de 2019
  new RegExp(
    String.raw`(?<![\d.,])${DAY}(?:st|nd|rd|th|er|º|°|\.)?${OF}\s${WORD}(?:,?${OF}\s${YEAR})?`,
    'gu',
  ),
  // March 5, 2019
  new RegExp(
    String.raw`(?<!\p{L})${WORD}\s${DAY}(?:st|nd|rd|th)?(?!\d|[.,]\d)(?:,?\s${YEAR})?`,
    'gu',
  ),
  // March 2019, März 2019, marzo de 2019
  new RegExp(String.raw`(?<!\p{L})${WORD}${OF},?\s${YEAR}`, 'gu'),
];
const IN_NUMBERS =
  /(?<!\d|\d[-./])(?:(?<year>\d{4})([-/.])(?<month>\d{1,2})\2(?<day>\d{1,2})|(?<first>\d{1,2})([-/.])(?<second>\d{1,2})\6(?<last>\d{4}))(?!\d|[-/]\d)(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?/gu;
const IN_YEAR_AND_MONTH = /(?<![\d-])(?<year>[12]\d{3})-(?<month>0[1-9]|1[0-2])(?![\d-])/gu;
const EAST_ASIAN =
  /(?<year>\d{4})\s?[年년]\s?(?<month>\d{1,2})\s?[月월](?:\s?(?<day>\d{1,2})\s?[日일])?/gu;

/** The dates in a text, and the text without them. */
export function takeDates(text: string): { readonly dates: DateMention[]; readonly rest: string } {
  const dates: DateMention[] = [];
  let rest = text;
  const take = (pattern: RegExp, readingsOf: (found: Groups) => DatePart[]): void => {
    rest = rest.replaceAll(pattern, (...given: unknown[]) => {
      const found = String(given[0]);
      const readings = readingsOf(given.at(-1) as Groups).filter(isPossible);
      if (readings.length === 0) return found;
      dates.push({ text: found, start: Number(given.at(-3)), readings });
      return ' '.repeat(found.length);
    });
  };
  take(IN_NUMBERS, ({ year, month, day, first, second, last }) =>
    year === undefined
      ? [
          { year: Number(last), month: Number(second), day: Number(first) },
          { year: Number(last), month: Number(first), day: Number(second) },
        ]
      : [{ year: Number(year), month: Number(month), day: Number(day) }],
  );
  const named = ({ year, word = '', day }: Groups): DatePart[] =>
    [...(MONTHS.get(word.toLowerCase().normalize('NFC')) ?? [])].map((month) => ({
      month,
      ...(year === undefined ? {} : { year: Number(year) }),
      ...(day === undefined ? {} : { day: Number(day) }),
    }));
  take(EAST_ASIAN, ({ year, month, day }) => [
    {
      year: Number(year),
      month: Number(month),
      ...(day === undefined ? {} : { day: Number(day) }),
    },
  ]);
  for (const pattern of NAMED) take(pattern, named);
  take(IN_YEAR_AND_MONTH, ({ year, month }) => [{ year: Number(year), month: Number(month) }]);
  return { dates, rest };
}

type Groups = Readonly<Record<string, string | undefined>>;

function isPossible({ month = 1, day = 1 }: DatePart): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}
