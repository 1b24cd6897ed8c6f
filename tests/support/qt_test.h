// Base of every Qt Test class: any Qt warning fails the test function in which it comes.
#pragma once

#include <QApplication>
#include <QObject>
#include <QRegularExpression>
#include <QTest>

namespace support {

class QtTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    // Qt's offscreen platform warns of itself whenever a window has a smallest size.
    QTest::failOnWarning(QRegularExpression("^(?!This plugin does not support propagateSizeHints)"));
  }
};

}  // namespace support

/// Runs the QtTest TestClass as the whole program. Settings go to a name of their own.
#define HEADSCOPE_QTEST_MAIN(TestClass)               \
  int main(int argc, char** argv) {                   \
    QApplication application(argc, argv);             \
    application.setOrganizationName("HeadscopeTest"); \
    application.setApplicationName(#TestClass);       \
    TestClass test;                                   \
    return QTest::qExec(&test, argc, argv);           \
  }
