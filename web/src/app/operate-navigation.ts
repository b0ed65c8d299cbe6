import { administrators, type NavigationGroup } from './navigation-group.ts';

export const OPERATE_NAVIGATION: NavigationGroup = {
  title: 'Operate',
  items: [
    {
      to: '/admin',
      label: 'Overview',
      words: 'health memory disk lag',
      isFor: administrators,
    },
    {
      to: '/admin/replicas',
      label: 'Replicas',
      words: 'lag',
      isFor: administrators,
    },
    {
      to: '/admin/members',
      label: 'Members',
      words: 'cluster primary takeover failover machines',
      isFor: administrators,
    },
    {
      to: '/admin/tasks',
      label: 'Tasks',
      words: 'schedule cron',
      isFor: administrators,
    },
    {
      to: '/admin/webhooks',
      label: 'Webhooks',
      words: 'events deliveries notify receivers',
      isFor: administrators,
    },
    { to: '/admin/migrations', label: 'Migrations', isFor: administrators },
    { to: '/admin/jobs', label: 'Jobs', words: 'progress', isFor: administrators },
    {
      to: '/admin/backups',
      label: 'Backups',
      words: 'restore copy',
      isFor: administrators,
    },
    {
      to: '/admin/logs',
      label: 'Logs',
      words: 'records audit',
      isFor: administrators,
    },
    {
      to: '/admin/settings',
      label: 'Workspace settings',
      words: 'configuration replica urls fetch',
      isFor: administrators,
    },
    {
      to: '/admin/definitions',
      label: 'Definitions',
      words: 'export import zip git dry run',
      isFor: administrators,
    },
    { to: '/admin/license', label: 'License', isFor: administrators },
  ],
};
