import { PreviewCard } from '@base-ui/react/preview-card';
import type { ReactElement, ReactNode } from 'react';

interface LinkPreviewProps {
  /** The link, with a name that says where it leads: the preview is not read out. */
  readonly link: ReactElement;
  readonly children: ReactNode;
}

/** Shows where a link leads while the mouse or the focus is on it. */
export function LinkPreview({ link, children }: LinkPreviewProps) {
  return (
    <PreviewCard.Root>
      <PreviewCard.Trigger delay={150} render={link} />
      <PreviewCard.Portal>
        <PreviewCard.Positioner sideOffset={6} className="z-50 outline-none">
          <PreviewCard.Popup className="max-h-72 w-80 max-w-[calc(100vw-2rem)] overflow-y-auto rounded-card border bg-raised p-3 shadow-raised">
            {children}
          </PreviewCard.Popup>
        </PreviewCard.Positioner>
      </PreviewCard.Portal>
    </PreviewCard.Root>
  );
}
