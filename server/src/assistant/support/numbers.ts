/** A number in a text. */
export interface NumberMention {
  readonly text: string;
  /** Where it stands in the text, its unit included. */
  readonly start: number;
  readonly end: number;
  /** What it can mean: `1.234` is more than a thousand, or a bit more than one. */
  readonly values: readonly number[];
  /** Its last digit stands for this much; nothing smaller is said. */
  readonly precision: number;
  /** A unit of the list below, in its shortest form; undefined where none stands there. */
  readonly unit: string | undefined;
  /** The values are of a scale, as "million" says. */
  readonly scale: number;
  readonly isNegative: boolean;
  /** "about 40", "nearly 40". */
  readonly isRough: boolean;
}

const NUMBER = /\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,'’]\d+)*/g;

/** Words for powers of ten; a German billion has more zeros than an English one. */
const SCALES: readonly (readonly [pattern: string, values: readonly number[]])[] = [
  ['hundred|hundert', [100]],
  ['thousand|tausend|mille|mil|mila|duizend|tusen|tusind|тысяч[аи]?|тыс', [1e3]],
  [
    'millions?|millionen|millones|millón|milioni|milione|milhões|milhão|miljoen|miljoner|mio|mln|миллион(?:а|ов)?|млн',
    [1e6],
  ],
  ['milliard(?:en|e|s)?|miliardi|miliardo|miljard|mrd|миллиард(?:а|ов)?|млрд|mil millones', [1e9]],
  ['billions?|bn', [1e9, 1e12]],
  ['billionen|trillions?|bio', [1e12, 1e18]],
  ['万|萬|만', [1e4]],
  ['億|亿|억', [1e8]],
];
const SCALE_SIGNS: Readonly<Record<string, number>> = {
  k: 1e3,
  K: 1e3,
  m: 1e6,
  M: 1e6,
  b: 1e9,
  B: 1e9,
};
const SCALE = new RegExp(
  String.raw`^[\s\u00a0\u202f-]?(?:${SCALES.map(([pattern]) => `(${pattern})`).join('|')})(?![\p{L}])\.?`,
  'iu',
);
const EAST_ASIAN_SCALE = /^(?:(万|萬|만)|(億|亿|억))/u;

/** Units that are mistaken for one another; a number without any can have each. */
const UNITS: Readonly<Record<string, string>> = {
  '%': '%',
  percent: '%',
  prozent: '%',
  pourcent: '%',
  'por ciento': '%',
  'pour cent': '%',
  $: '$',
  '€': '€',
  '£': '£',
  '¥': '¥',
  usd: '$',
  eur: '€',
  gbp: '£',
  jpy: '¥',
  chf: 'chf',
  dollar: '$',
  dollars: '$',
  euro: '€',
  euros: '€',
  pounds: '£',
  yen: '¥',
  mg: 'mg',
  g: 'g',
  kg: 'kg',
  t: 't',
  gram: 'g',
  grams: 'g',
  kilograms: 'kg',
  tonnes: 't',
  tons: 't',
  mm: 'mm',
  cm: 'cm',
  m: 'm',
  km: 'km',
  mi: 'mi',
  ft: 'ft',
  metres: 'm',
  meters: 'm',
  meter: 'm',
  kilometres: 'km',
  kilometers: 'km',
  kilometer: 'km',
  miles: 'mi',
  feet: 'ft',
  ms: 'ms',
  s: 's',
  sec: 's',
  seconds: 's',
  sekunden: 's',
  min: 'min',
  minutes: 'min',
  minuten: 'min',
  h: 'h',
  hours: 'h',
  stunden: 'h',
  days: 'd',
  day: 'd',
  tage: 'd',
  weeks: 'w',
  wochen: 'w',
  months: 'mo',
  month: 'mo',
  monate: 'mo',
  years: 'y',
  year: 'y',
  jahre: 'y',
  ans: 'y',
  años: 'y',
  kb: 'kb',
  mb: 'mb',
  gb: 'gb',
  tb: 'tb',
  w: 'w',
  kw: 'kw',
  mw: 'mw',
  v: 'v',
  '°c': '°c',
  '°f': '°f',
  ml: 'ml',
  l: 'l',
  litres: 'l',
  liters: 'l',
  liter: 'l',
};
const UNIT = /^[\s\u00a0\u202f-]?(%|€|£|¥|\$|°[CF]|por ciento|pour cent|\p{L}{1,10})(?!\p{L})/iu;
const ROUGH =
  /(?:\b(?:about|around|roughly|approximately|approx\.?|nearly|almost|over|under|more than|less than|at least|some|circa|ca\.?|c\.|etwa|rund|ungefähr|fast|knapp|gut|mehr als|über|environ|près de|presque|plus de|unos|unas|cerca de|casi|más de|quasi|circa)|[~≈])\s*[$€£¥]?$/iu;

/** The numbers in a text, and whatever looks like one and is a name, such as a version. */
export function numbersIn(text: string): { numbers: NumberMention[]; codes: string[] } {
  const numbers: NumberMention[] = [];
  const codes: string[] = [];
  for (const found of text.matchAll(NUMBER)) {
    const { 0: digits, index } = found;
    const end = index + digits.length;
    if (isInWord(text, index, end)) continue;
    const plain = valuesOf(digits);
    if (plain === undefined) codes.push(digits);
    else
      numbers.push(
        mentionOf(plain, {
          digits,
          start: index,
          before: text.slice(Math.max(0, index - 24), index),
          after: text.slice(end, end + 24),
        }),
      );
  }
  return { numbers, codes };
}

/** Letters of scripts that write no blanks between words. */
export const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hang}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}`;
const LETTER_BEFORE = new RegExp(`(?:_|[\\p{L}--[${UNSPACED}]])$`, 'v');

/** A letter next to it makes it a part of a code, unless the letters are a unit or an ending. */
function isInWord(text: string, start: number, end: number): boolean {
  if (LETTER_BEFORE.test(text.slice(Math.max(0, start - 1), start))) return true;
  const after = /^\p{L}+/u.exec(text.slice(end, end + 16))?.[0];
  return after !== undefined && !isEnding(after);
}

/** What may stand right after a number: a unit, a scale, or the ending of an ordinal. */
export function isEnding(letters: string): boolean {
  const lower = letters.toLowerCase();
  return (
    /^(?:st|nd|rd|th|e|er|ère|ème|te|ten|ter|s|x|ers?)$/.test(lower) ||
    Object.hasOwn(UNITS, lower) ||
    Object.hasOwn(SCALE_SIGNS, letters) ||
    /^(?:bn|mio|mrd|mln)$/.test(lower) ||
    UNSPACED_FIRST.test(letters)
  );
}

const UNSPACED_FIRST = new RegExp(`^[${UNSPACED}]`, 'u');

interface Around {
  readonly digits: string;
  readonly start: number;
  readonly before: string;
  readonly after: string;
}

function mentionOf(
  plain: { readonly values: readonly number[]; readonly decimals: number },
  { digits, start, before, after }: Around,
): NumberMention {
  const scaled = scaleOf(after);
  const rest = after.slice(scaled.length);
  const unitAfter = unitOf(rest);
  const unit = unitAfter?.unit ?? unitOf(/[$€£¥](?=\s?$)/.exec(before)?.[0] ?? '')?.unit;
  const sign = SCALE_SIGNS[/^[kKmMbB](?!\p{L})/u.exec(after)?.[0] ?? ''];
  const values = scaled.scales.flatMap((scale) => plain.values.map((value) => value * scale));
  const [scale = 1] = scaled.scales;
  return {
    text: digits + after.slice(0, scaled.length),
    start,
    end: start + digits.length + scaled.length + (unitAfter?.length ?? 0),
    values: sign === undefined ? values : [...values, ...plain.values.map((value) => value * sign)],
    precision: scale * 10 ** -plain.decimals,
    unit: sign === undefined ? unit : undefined,
    scale: sign ?? scale,
    isNegative: /(?:^|[\s(=:])[-−]$/.test(before),
    isRough: ROUGH.test(before),
  };
}

function scaleOf(after: string): { readonly scales: readonly number[]; readonly length: number } {
  const found = SCALE.exec(after) ?? undefined;
  if (found !== undefined) {
    const at = found.slice(1).findIndex((group) => group !== undefined);
    return { scales: SCALES[at]?.[1] ?? [1], length: found[0].length };
  }
  const other = EAST_ASIAN_SCALE.exec(after);
  if (other === null) return { scales: [1], length: 0 };
  return { scales: [other[1] === undefined ? 1e8 : 1e4], length: 1 };
}

function unitOf(text: string): { readonly unit: string; readonly length: number } | undefined {
  const found = UNIT.exec(text);
  const unit = unitNamed(found?.[1] ?? '');
  return unit === undefined ? undefined : { unit, length: found?.[0].length ?? 0 };
}

/** The shortest form of a unit; undefined for any other word. */
export function unitNamed(word: string): string | undefined {
  const lower = word.toLowerCase();
  return Object.hasOwn(UNITS, lower) ? UNITS[lower] : undefined;
}

/** Undefined for digits that are no number, as those of a version or an address. */
function valuesOf(
  text: string,
): { readonly values: readonly number[]; readonly decimals: number } | undefined {
  const parts = text.split(/[.,'’ \u00a0\u202f]/);
  const signs = text.replaceAll(/\d/g, '');
  const [first = '', ...others] = parts;
  const whole = { values: [Number(parts.join(''))], decimals: 0 };
  if (others.length === 0) return whole;
  const kinds = new Set(signs);
  const last = others.at(-1) ?? '';
  const areGroups = (groups: readonly string[]): boolean =>
    first.length <= 3 && groups.every((group) => group.length === 3);
  const mayBeDecimal = /[.,]$/.test(signs);
  const decimal = {
    values: [Number(`${parts.slice(0, -1).join('')}.${last}`)],
    decimals: last.length,
  };
  if (others.length === 1) {
    if (!areGroups(others)) return mayBeDecimal ? decimal : undefined;
    if (!mayBeDecimal) return whole;
    return first.startsWith('0')
      ? decimal
      : { values: [...whole.values, ...decimal.values], decimals: 0 };
  }
  if (kinds.size === 1) return areGroups(others) ? whole : undefined;
  const isMixed = kinds.size === 2 && signs.indexOf(signs.at(-1) ?? '') === signs.length - 1;
  return isMixed && mayBeDecimal && areGroups(others.slice(0, -1)) ? decimal : undefined;
}

/** How far "about" goes. */
const ROUGH_SHARE = 0.05;

/** Whether a text that has `there` says the number that is asked for. */
export function isSameNumber(asked: NumberMention, there: NumberMention): boolean {
  const haveUnits = asked.unit !== undefined && there.unit !== undefined;
  if (haveUnits && asked.unit !== there.unit) return false;
  return asked.values.some((value) => there.values.some((other) => isClose(asked, value, other)));
}

function isClose(asked: NumberMention, value: number, other: number): boolean {
  const distance = Math.abs(value - other);
  if (distance <= 1e-9 * Math.abs(other)) return true;
  if (asked.isRough && distance <= ROUGH_SHARE * Math.abs(other)) return true;
  // 3.6 million stands for 3,644,826, and 12.3 for 12.34; but 2019 for no other year.
  const isRounded = asked.scale > 1 || asked.precision < 1;
  if (isRounded && distance <= asked.precision / 2 && distance <= ROUGH_SHARE * Math.abs(other))
    return true;
  // A share: 40 % is 0.4.
  return asked.unit === '%' && Math.abs(value / 100 - other) <= 1e-9;
}

/** Small numbers in words, of the most common languages. */
const WORDS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    2: 'two zwei deux dois twee två kaksi dwa два',
    3: 'three drei trois tres tre três drie kolme trzy три',
    4: 'four vier quatre cuatro quattro quatro fyra fire neljä cztery четыре',
    5: 'five fünf cinq cinco cinque vijf viisi pięć пять',
    6: 'six sechs seis zes seks kuusi sześć шесть',
    7: 'seven sieben sept siete sette sete zeven sju syv seitsemän siedem семь',
    8: 'eight acht huit ocho otto oito åtta otte kahdeksan osiem восемь',
    9: 'nine neun neuf nueve nove negen nio yhdeksän dziewięć девять',
    10: 'ten zehn dix diez dieci dez tien tio kymmenen dziesięć десять',
    11: 'eleven elf onze undici elva elleve',
    12: 'twelve zwölf douze doce dodici doze twaalf tolv dozen dutzend douzaine docena',
    13: 'thirteen dreizehn treize trece',
    14: 'fourteen vierzehn quatorze catorce',
    15: 'fifteen fünfzehn quinze quince',
    16: 'sixteen sechzehn seize dieciséis',
    17: 'seventeen siebzehn dix-sept diecisiete',
    18: 'eighteen achtzehn dix-huit dieciocho',
    19: 'nineteen neunzehn diecinueve',
    20: 'twenty zwanzig vingt veinte venti vinte twintig',
    30: 'thirty dreißig trente treinta',
    40: 'forty vierzig quarante cuarenta',
    50: 'fifty fünfzig cinquante cincuenta',
    60: 'sixty sechzig soixante sesenta',
    70: 'seventy siebzig setenta',
    80: 'eighty achtzig ochenta',
    90: 'ninety neunzig noventa',
    100: 'hundred hundert cien',
    1000: 'thousand tausend mille',
  }).flatMap(([value, words]) => words.split(' ').map((word) => [word, Number(value)] as const)),
);

/** The number that a word stands for; undefined where it stands for none. */
export function wordNumber(word: string): number | undefined {
  return WORDS.get(word);
}

/** Whether a word belongs to the number before it. */
export function isScaleOrUnit(word: string): boolean {
  const lower = word.toLowerCase();
  return Object.hasOwn(UNITS, lower) || SCALE.test(lower) || WORDS.has(lower);
}

/** The numbers that stand in words, without those that are mostly another word. */
export function numberWordsIn(words: readonly string[]): number[] {
  return words.map((word) => WORDS.get(word)).filter((value) => value !== undefined);
}
