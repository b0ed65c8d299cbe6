import { expect, test } from 'vitest';
import { Quotes } from './quotes.ts';

test.each([
  ['The  harbour\n\tplan of 2031', 'harbour plan', 'harbour\n\tplan'],
  ['It is “done” — really', 'is "done" - really', 'is “done” — really'],
  ['Häfen, schön', 'Hafen', undefined],
  ['Ha\u0308fen, schön', 'Häfen, schön', 'Ha\u0308fen, schön'],
  ['a soft\u00adhyphen here', 'softhyphen here', 'soft\u00adhyphen here'],
  ['three 👩‍🚀 astronauts', '👩‍🚀 astronauts', '👩‍🚀 astronauts'],
  ['never more than ten', 'more than eleven', undefined],
  ['more than ten', 'More than ten', undefined],
  ['a b c', ' b ', undefined],
  ['... --- ...', '--- ...', undefined],
])('in %j the quote %j is %j', (text, quote, found) => {
  const place = new Quotes(text).find(quote);
  expect(place && text.slice(place.start, place.end)).toBe(found);
});

test('a quote that is as long as a book proves nothing', () => {
  const text = 'word '.repeat(1_000);
  expect(new Quotes(text).find(text)).toBeUndefined();
});
