import {
  Activity,
  Archive,
  ArrowLeftRight,
  Boxes,
  Braces,
  CalendarClock,
  DatabaseZap,
  FolderDown,
  ScrollText,
  Settings2,
  Timer,
} from 'lucide-react';
import { administrators, type NavigationGroup } from './navigation-group.ts';

export const OPERATE_NAVIGATION: NavigationGroup = {
  title: 'Operate',
  items: [
    {
      to: '/admin',
      label: 'Overview',
      icon: Activity,
      words: 'health memory disk lag',
      isFor: administrators,
    },
    {
      to: '/admin/replicas',
      label: 'Replicas',
      icon: ArrowLeftRight,
      words: 'lag',
      isFor: administrators,
    },
    {
      to: '/admin/tasks',
      label: 'Tasks',
      icon: CalendarClock,
      words: 'schedule cron',
      isFor: administrators,
    },
    { to: '/admin/migrations', label: 'Migrations', icon: DatabaseZap, isFor: administrators },
    { to: '/admin/jobs', label: 'Jobs', icon: Timer, words: 'progress', isFor: administrators },
    {
      to: '/admin/backups',
      label: 'Backups',
      icon: Archive,
      words: 'restore copy',
      isFor: administrators,
    },
    {
      to: '/admin/logs',
      label: 'Logs',
      icon: ScrollText,
      words: 'records audit',
      isFor: administrators,
    },
    {
      to: '/admin/settings',
      label: 'Workspace settings',
      icon: Settings2,
      words: 'configuration replica urls fetch',
      isFor: administrators,
    },
    {
      to: '/admin/interfaces',
      label: 'Interfaces',
      icon: Boxes,
      words: 'front end upload',
      isFor: administrators,
    },
    {
      to: '/admin/definitions',
      label: 'Definitions',
      icon: FolderDown,
      words: 'export import zip git dry run',
      isFor: administrators,
    },
    { to: '/admin/license', label: 'License', icon: Braces, isFor: administrators },
  ],
};
