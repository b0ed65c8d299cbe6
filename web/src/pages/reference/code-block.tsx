/** It may be wider than the page, and then can be scrolled by keyboard, too. */
export function CodeBlock({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <pre
      role="group"
      aria-label={label}
      tabIndex={0}
      className="max-h-96 overflow-auto rounded-control bg-sunken p-3 font-mono text-[13px]"
    >
      {text}
    </pre>
  );
}
