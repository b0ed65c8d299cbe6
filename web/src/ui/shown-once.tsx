import { Notice } from './notice.tsx';
import { CopyButton } from './copy-button.tsx';

interface ShownOnceProps {
  /** What it is: "Token", "Reset link". */
  readonly label: string;
  readonly value: string;
  /** What follows from losing it. */
  readonly warning: string;
}

/** A secret that the server tells this once. */
export function ShownOnce({ label, value, warning }: ShownOnceProps) {
  return (
    <div className="flex flex-col gap-3">
      <Notice tone="warning">{warning}</Notice>
      <div className="flex flex-col gap-1">
        <span className="font-medium">{label}</span>
        <code
          aria-label={label}
          role="textbox"
          aria-readonly
          tabIndex={0}
          className="max-h-40 overflow-y-auto rounded-control border bg-sunken px-3 py-2 font-mono text-[13px] break-all select-all"
        >
          {value}
        </code>
      </div>
      <div>
        <CopyButton text={value} />
      </div>
    </div>
  );
}
