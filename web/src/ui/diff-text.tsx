import { classNames } from './class-names.ts';

/** A unified diff; the signs at the beginning of the lines say it too, not the colors alone. */
export function DiffText({ label, diff }: { readonly label: string; readonly diff: string }) {
  return (
    <pre
      role="region"
      aria-label={label}
      tabIndex={0}
      className="mt-2 max-h-96 overflow-auto rounded-control border bg-sunken py-2 font-mono text-xs"
    >
      {diff.split('\n').map((line, at) => (
        // A line has no identity but its place.
        // oxlint-disable-next-line react/no-array-index-key
        <span key={at} className={classNames('block px-3', lineClasses(line))}>
          {line || ' '}
        </span>
      ))}
    </pre>
  );
}

function lineClasses(line: string): string {
  if (line.startsWith('+++') || line.startsWith('---')) return 'text-muted';
  if (line.startsWith('+')) return 'bg-accent-soft text-accent-strong';
  if (line.startsWith('-')) return 'bg-danger-soft text-danger';
  if (line.startsWith('@@')) return 'text-info';
  return '';
}
