/** Text as the contract writes it: what stands between backticks is code. */
export function CodeInText({ text }: { readonly text: string }) {
  return text.split('`').map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- parts repeat, and their order never changes
      <code key={at} className="font-mono">
        {part}
      </code>
    ),
  );
}
