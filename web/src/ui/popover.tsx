import { Popover as Base } from '@base-ui/react/popover';
import type { ReactElement, ReactNode } from 'react';

interface PopoverProps {
  /** The button that opens it. */
  readonly trigger: ReactElement;
  readonly title: string;
  readonly children: ReactNode;
}

/** A few controls beside the button that opens them. */
export function Popover({ trigger, title, children }: PopoverProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} align="start" className="z-50 outline-none">
          <Base.Popup className="max-h-[min(var(--available-height),24rem)] w-80 max-w-[calc(100vw-2rem)] overflow-y-auto rounded-card border bg-raised p-3 shadow-raised outline-none">
            <Base.Title className="mb-2 font-medium">{title}</Base.Title>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
