import type { LucideIcon } from 'lucide-react';

/** Something that the palette finds. */
export interface PaletteItem {
  readonly key: string;
  readonly label: string;
  /** What it is, or where: at the right of the label. */
  readonly hint: string;
  readonly icon: LucideIcon;
  readonly words?: string | undefined;
  readonly go: () => unknown;
  /** It changes something here and leads nowhere. */
  readonly staysHere?: true;
}
