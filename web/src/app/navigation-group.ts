import type { LucideIcon } from 'lucide-react';
import type { Viewer } from '../api/viewer.ts';

export interface NavigationItem {
  /** A path of the router. */
  readonly to: string;
  readonly label: string;
  readonly icon: LucideIcon;
  /** Further words by which the command palette finds it. */
  readonly words?: string;
  readonly isFor: (viewer: Viewer) => boolean;
}

export interface NavigationGroup {
  readonly title: string;
  readonly items: readonly NavigationItem[];
}

export const everybody = () => true;
export const insiders = (viewer: Viewer) => !viewer.isGuest;
export const administrators = (viewer: Viewer) => viewer.seesAdministration;
