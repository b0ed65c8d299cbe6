import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { classNames } from './class-names.ts';

interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly size?: 'normal' | 'wide';
  /** A click beside it does not close it: what is in it could not be had again. */
  readonly keepsOpen?: boolean;
  readonly children?: ReactNode;
}

const SURFACE = 'fixed z-40 flex flex-col rounded-card border bg-raised shadow-raised outline-none';
const FIELDS = 'input:not(:disabled), select:not(:disabled), textarea:not(:disabled)';
const BACKDROP = 'fixed inset-0 z-40 bg-black/40';

/** Over the page, in the middle; Escape and the cross close it. */
export function Dialog(props: DialogProps) {
  const { isOpen, onClose, title, description, size, keepsOpen = false, children } = props;
  const body = useRef<HTMLDivElement>(null);
  return (
    <Base.Root
      open={isOpen}
      onOpenChange={(open) => !open && onClose()}
      disablePointerDismissal={keepsOpen}
    >
      <Base.Portal>
        <Base.Backdrop className={BACKDROP} />
        <Base.Popup
          // What is to be filled in, and not the cross.
          initialFocus={() => body.current?.querySelector<HTMLElement>(FIELDS) ?? true}
          className={classNames(
            SURFACE,
            'top-1/2 left-1/2 max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2',
            size === 'wide' ? 'max-w-3xl' : 'max-w-lg',
          )}
        >
          <DialogHead title={title} description={description} />
          <div ref={body} className="min-h-0 flex-1 overflow-y-auto px-5 pb-5">
            {children}
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** From the right side, for what is looked at beside the page. */
export function SidePanel({ isOpen, onClose, title, description, children }: DialogProps) {
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={BACKDROP} />
        <Base.Popup
          className={classNames(SURFACE, 'inset-y-0 right-0 w-full max-w-xl rounded-r-none')}
        >
          <DialogHead title={title} description={description} />
          {/* So that it scrolls by keys, also where nothing in it can be used. */}
          <div tabIndex={0} className="min-h-0 flex-1 overflow-y-auto px-5 pb-5">
            {children}
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function DialogHead({ title, description }: Pick<DialogProps, 'title' | 'description'>) {
  return (
    <div className="flex items-start justify-between gap-4 px-5 pt-4 pb-3">
      <div className="min-w-0">
        <Base.Title className="text-base font-semibold break-words">{title}</Base.Title>
        {description !== undefined && (
          <Base.Description className="mt-1 text-muted">{description}</Base.Description>
        )}
      </div>
      <Base.Close aria-label="Close" className="rounded-control p-1 text-muted hover:bg-sunken">
        <X className="size-4" aria-hidden />
      </Base.Close>
    </div>
  );
}

/** The buttons at the end of a form in a dialog. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className="mt-5 flex flex-wrap justify-end gap-2">{children}</div>;
}
