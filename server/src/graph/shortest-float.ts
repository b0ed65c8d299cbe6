/**
 * Of all numbers that 32 bits keep as the given one, that with the fewest digits: 9.99 for
 * 9.989999771118164, the nearest one where there are several. So a Float is shown as it was
 * written. Different 32-bit values have different shortest numbers, in the same order.
 */
export function shortestFloat(value: number): number {
  const size = Math.abs(value);
  if (size >= PLAIN_MIN && size < WHOLE_MAX) {
    if (Number.isInteger(value)) return value;
    // Six digits survive 32 bits: where fewer are enough, the others are zeros.
    let decimals = Math.max(0, DECIMALS_OF_SIX - Math.floor(Math.log10(size)));
    for (; decimals < POWERS_OF_TEN.length; decimals++) {
      const power = POWERS_OF_TEN[decimals]!;
      // Exact powers and whole numbers: the quotient is the double nearest to the decimal.
      const shorter = Math.round(value * power) / power;
      if (Math.fround(shorter) === value) return shorter;
    }
  }
  return value === 0 ? 0 : shortestByDigits(value);
}

/** From here to `WHOLE_MAX`, decimals are made with exact powers of ten. */
const PLAIN_MIN = 1e-6;
/** Below this, 32 bits hold every whole number. */
const WHOLE_MAX = 2 ** 24;
const DECIMALS_OF_SIX = 5;
const DIGITS_MAX = 9;
const POWERS_OF_TEN: readonly number[] = Array.from({ length: 17 }, (_, i) => Number(`1e${i}`));

function shortestByDigits(value: number): number {
  for (let digits = 1; digits < DIGITS_MAX; digits++) {
    const nearest = value.toPrecision(digits);
    if (Math.fround(Number(nearest)) === value) return Number(nearest);
    // Beside a power of two the numbers above lie twice as far apart as those below.
    const next = nextAway(nearest);
    if (Math.fround(next) === value) return next;
  }
  return Number(value.toPrecision(DIGITS_MAX));
}

/** The decimal with as many digits that follows, away from 0. */
function nextAway(decimal: string): number {
  const [digits = '', exponent = '0'] = decimal.split('e');
  const decimals = digits.split('.')[1]?.length ?? 0;
  const whole = Number(digits.replace('.', ''));
  return Number(`${whole + Math.sign(whole)}e${Number(exponent) - decimals}`);
}
