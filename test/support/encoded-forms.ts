/**
 * A text as programs may have written it: as it is, escaped as in JSON, in a URL and in a form, in
 * hexadecimal, and in base64, wherever it begins in what is encoded.
 */
export function encodedForms(text: string): readonly string[] {
  const hex = Buffer.from(text).toString('hex');
  const windows = [0, 1, 2].map((before) => {
    const encoded = Buffer.from(' '.repeat(before) + text).toString('base64');
    // Without the characters that also hold bits of what is around it.
    return encoded.slice(before === 0 ? 0 : before + 1, -4);
  });
  const forms = [
    text,
    JSON.stringify(text).slice(1, -1),
    JSON.stringify(JSON.stringify(text)).slice(3, -3),
    encodeURIComponent(text),
    encodeURI(text),
    new URLSearchParams({ '': text }).toString().slice(1),
    hex,
    hex.toUpperCase(),
    ...windows,
    ...windows.map((one) => one.replaceAll('+', '-').replaceAll('/', '_')),
  ];
  return [...new Set(forms)];
}
