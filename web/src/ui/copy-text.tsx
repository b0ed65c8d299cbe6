import { CopyButton } from './copy-button.tsx';

interface CopyTextProps {
  readonly label: string;
  readonly text: string;
}

/** A text to be entered elsewhere exactly as it is. */
export function CopyText({ label, text }: CopyTextProps) {
  return (
    <div className="flex flex-col gap-1">
      <span className="font-medium">{label}</span>
      <div className="flex flex-wrap items-center gap-2">
        <code className="min-w-0 rounded-control border bg-sunken px-2.5 py-1 font-mono text-[13px] break-all">
          {text}
        </code>
        <CopyButton text={text} label={`Copy ${label}`} />
      </div>
    </div>
  );
}
