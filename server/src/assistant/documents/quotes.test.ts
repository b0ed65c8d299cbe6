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
  ['Trash and ash.', 'ash', 'ash'],
  ['Trash of 1901', 'ash of 190', undefined],
  ['1,200 tons', '200 tons', undefined],
  ['of 1.5 tons', 'of 1', undefined],
  ['of 15. Then', 'of 15', 'of 15'],
  ['日本の首都は東京です', '首都は東京', '首都は東京'],
  ['부산에서 서울까지', '에서 서울', '에서 서울'],
])('in %j the quote %j is %j', (text, quote, found) => {
  const place = new Quotes(text).find(quote);
  expect(place && text.slice(place.start, place.end)).toBe(found);
});

test('a quote that is as long as a book proves nothing', () => {
  const text = 'word '.repeat(1_000);
  expect(new Quotes(text).find(text)).toBeUndefined();
});
